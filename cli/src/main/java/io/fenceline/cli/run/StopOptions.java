package io.fenceline.cli.run;

import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.output.ExitCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for stopping a command when its lease is lost. */
public final class StopOptions {

    private static final Duration LONGEST_GRACE = Duration.ofSeconds(5);

    @Option(
            names = "--kill-after",
            paramLabel = "DURATION",
            description =
                    "Time from SIGTERM to SIGKILL when CMD has to stop; at most a third of the ttl; seconds unless"
                            + " it has a unit. Default: a sixth of the ttl, at most 5s.")
    @Nullable
    public Duration killAfter;

    /**
     * The time from SIGTERM to SIGKILL.
     *
     * @throws CommandFailure if it is longer than the ttl allows
     */
    public Duration grace(Duration ttl) {
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
