package io.fenceline.cli;

import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code exec} and {@code hold} for acquiring a lock. */
final class TakeOptions {

    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final int MAX_EXIT_CODE = 255;

    @Option(
            names = {"-n", "--nonblock"},
            description = "Do not wait: if the lock is taken, give up at once.")
    boolean nonblock;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "SECONDS",
            converter = CommandTree.SecondsConverter.class,
            description =
                    "Give up when the lock was not free within so many seconds; fractions are allowed. Default: wait"
                            + " for as long as it takes.")
    @Nullable
    Duration wait;

    @Option(
            names = {"-E", "--conflict-exit-code"},
            paramLabel = "CODE",
            description = "The exit code when the lock is not acquired. Default: 1.")
    int conflictExitCode = ExitCode.NO;

    @Mixin
    final LeaseOptions lease = new LeaseOptions();

    @Option(
            names = "--holder",
            paramLabel = "TEXT",
            description = "Who holds the lock, for people. Default: USER@HOST:PID.")
    @Nullable
    Holder holder;

    /**
     * The options for the engine.
     *
     * @param stopping how long the holder needs to stop once its lease is lost
     * @throws CommandFailure if the command's options contradict one another
     */
    LockOptions lockOptions(Surroundings surroundings, Duration stopping) {
        if (nonblock && wait != null) {
            throw wrong("-n and -w exclude each other; give one of them");
        }
        Duration ttl = lease.ttl();
        if (conflictExitCode < 0 || conflictExitCode > MAX_EXIT_CODE) {
            throw wrong("-E " + conflictExitCode + " is no exit code; those go from 0 to " + MAX_EXIT_CODE);
        }
        Duration longest = wait == null ? FOREVER : wait;
        return LockOptions.defaults()
                .withTtl(ttl)
                .withMaxWait(nonblock ? Duration.ZERO : longest)
                .withSafetyMargin(lease.safetyMargin(stopping))
                .withHolder(holder == null ? Caller.of(surroundings) : holder);
    }

    private static CommandFailure wrong(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** What a command ends with when the lock was not free within the wait. */
    CommandFailure notAcquired(LockTimeoutException e) {
        String holder = e.holder().map(h -> " by " + h).orElse("");
        String waited = e.waited().isZero() ? "" : "; waited " + DurationText.of(e.waited());
        return new CommandFailure(conflictExitCode, "lock '" + e.key() + "' is held" + holder + waited, e);
    }
}
