package io.fenceline.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how a command is stopped that must not outlive its lease. */
final class StopOptions {

    private static final Duration LONGEST_GRACE = Duration.ofSeconds(5);

    @Option(
            names = "--kill-after",
            paramLabel = "DURATION",
            description =
                    "When CMD has to stop, how long it has from SIGTERM to SIGKILL; at most a third of the ttl. Default:"
                            + " a sixth of the ttl, but not more than 5s.")
    @Nullable
    Duration killAfter;

    /**
     * How long the command has from SIGTERM to SIGKILL.
     *
     * @throws CommandFailure if it would have more than the ttl allows
     */
    Duration grace(Duration ttl) {
        Duration sixth = ttl.dividedBy(6);
        if (killAfter == null) {
            return sixth.compareTo(LONGEST_GRACE) < 0 ? sixth : LONGEST_GRACE;
        }
        if (killAfter.compareTo(sixth.multipliedBy(2)) > 0) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--kill-after " + DurationText.of(killAfter) + " is more than a third of the ttl ("
                            + DurationText.of(ttl) + "); give a longer --ttl");
        }
        return killAfter;
    }
}
