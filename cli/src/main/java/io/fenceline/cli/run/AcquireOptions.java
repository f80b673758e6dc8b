package io.fenceline.cli.run;

import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.cli.context.DefaultHolder;
import io.fenceline.cli.context.ProcessEnvironment;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.output.ExitCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code exec} and {@code hold} for acquiring the lock. */
public final class AcquireOptions {

    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final int MAX_EXIT_CODE = 255;

    @Option(
            names = {"-n", "--nonblock"},
            description = "Give up at once if the lock is taken.")
    public boolean nonblock;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "DURATION",
            description = "Give up after DURATION, for instance 10, 0.5 or 2m; seconds unless it has a unit."
                    + " Default: wait without a limit.")
    @Nullable
    public Duration wait;

    @Option(
            names = {"-E", "--conflict-exit-code"},
            paramLabel = "CODE",
            description =
                    "Exit code if the lock is not acquired. With 0 nothing is printed either, for cron. Default: 1.")
    public int conflictExitCode = ExitCode.NO;

    @Mixin
    public final LeaseOptions lease = new LeaseOptions();

    @Option(
            names = "--holder",
            paramLabel = "TEXT",
            description = "Name of the holder, shown by 'ls'. Default: USER@HOST:PID.")
    @Nullable
    public Holder holder;

    /**
     * The options for the engine.
     *
     * @throws CommandFailure if options are out of range or mutually exclusive
     */
    public LockOptions lockOptions(ProcessEnvironment environment, Duration stopping) {
        if (nonblock && wait != null) {
            throw wrong("-n and -w are mutually exclusive");
        }
        Duration ttl = lease.ttl();
        if (conflictExitCode < 0 || conflictExitCode > MAX_EXIT_CODE) {
            throw wrong("-E " + conflictExitCode + " is not an exit code; give 0 to " + MAX_EXIT_CODE);
        }
        Duration longest = wait == null ? FOREVER : wait;
        return LockOptions.defaults()
                .withTtl(ttl)
                .withMaxWait(nonblock ? Duration.ZERO : longest)
                .withSafetyMargin(lease.safetyMargin(stopping))
                .withHolder(holder == null ? DefaultHolder.of(environment) : holder);
    }

    private static CommandFailure wrong(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** The failure of a command whose wait ran out. */
    public CommandFailure notAcquired(LockTimeoutException e) {
        String holder = e.holder().map(h -> " by " + h).orElse("");
        String waited = e.waited().isZero() ? "" : "; waited " + DurationText.of(e.waited());
        return new CommandFailure(conflictExitCode, "lock '" + e.key() + "' is held" + holder + waited, e);
    }
}
