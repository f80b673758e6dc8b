package io.fenceline.cli;

import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.ResourceName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a lock is taken, as {@code exec} and {@code hold} ask for it. */
final class TakeOptions {

    static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /** Below this the time that processes take to start would decide. */
    private static final Duration MIN_TTL = Duration.ofSeconds(1);

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

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            description =
                    "How long the lock stays taken if this process dies: 30s, 1500ms, 2m or PT30S. It is renewed at a"
                            + " third of that. Default: 30s.")
    Duration ttl = DEFAULT_TTL;

    @Option(
            names = "--holder",
            paramLabel = "TEXT",
            description = "Who holds the lock, for people. Default: USER@HOST:PID.")
    @Nullable
    Holder holder;

    @Option(
            names = "--claim",
            paramLabel = "RESOURCE",
            description =
                    "Once the lock is held and before anything else, claim RESOURCE in the store's fences, so that older"
                            + " holders can no longer write to it. May be repeated.")
    List<ResourceName> claims = new ArrayList<>();

    Duration ttl() {
        return ttl;
    }

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
        if (ttl.compareTo(MIN_TTL) < 0) {
            throw wrong("--ttl must be at least " + DurationText.of(MIN_TTL) + ", it is " + DurationText.of(ttl));
        }
        if (conflictExitCode < 0 || conflictExitCode > MAX_EXIT_CODE) {
            throw wrong("-E " + conflictExitCode + " is no exit code; those go from 0 to " + MAX_EXIT_CODE);
        }
        Duration longest = wait == null ? FOREVER : wait;
        return LockOptions.defaults()
                .withTtl(ttl)
                .withMaxWait(nonblock ? Duration.ZERO : longest)
                .withSafetyMargin(ttl.dividedBy(20).plus(stopping))
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
