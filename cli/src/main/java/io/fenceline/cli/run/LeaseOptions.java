package io.fenceline.cli.run;

import io.fenceline.LockOptions;
import io.fenceline.ResourceName;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.output.ExitCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The lease options of {@code exec}, {@code hold} and {@code elect}. */
public final class LeaseOptions {

    public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /** A shorter ttl could pass while a process starts. */
    private static final Duration MIN_TTL = Duration.ofSeconds(1);

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            description =
                    "Time after which the lock is free again if this process dies: 30s, 1500ms, 2m or PT30S; seconds"
                            + " unless it has a unit. Renewed at a third of it. Default: 30s.")
    public Duration ttl = DEFAULT_TTL;

    @Option(
            names = "--claim",
            paramLabel = "RESOURCE",
            description =
                    "Claim RESOURCE in the store's fences as soon as the lock is held, so that earlier holders can no"
                            + " longer write to it. May be repeated.")
    public List<ResourceName> claims = new ArrayList<>();

    @Option(
            names = {"-v", "--verbose"},
            description =
                    "Print what is waited for: the store, or the lock and its holder. On a terminal this is printed"
                            + " after 2s anyway.")
    public boolean verbose;

    /** The ttl, checked by {@link #requireTtl}. */
    public Duration ttl() {
        return requireTtl(ttl);
    }

    /**
     * Returns a ttl for a lease of a command.
     *
     * @throws CommandFailure if it is too short or too long
     */
    public static Duration requireTtl(Duration ttl) {
        if (ttl.compareTo(MIN_TTL) < 0) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--ttl must be at least " + DurationText.of(MIN_TTL) + ", it is " + DurationText.of(ttl));
        }
        return requireShort("--ttl", ttl);
    }

    /**
     * Returns a duration for which a lock is to be kept.
     *
     * @throws CommandFailure if it is too long
     */
    public static Duration requireShort(String option, Duration duration) {
        if (duration.compareTo(LockOptions.MAX_TTL) > 0) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    option + " must be at most " + LockOptions.MAX_TTL.toDays() + " days, it is "
                            + DurationText.of(duration));
        }
        return duration;
    }

    /** The time before the end of the ttl at which the holder begins to stop. */
    public Duration safetyMargin(Duration stopping) {
        return ttl.dividedBy(20).plus(stopping);
    }

    /** The names of the resources to claim. */
    public List<String> claimed() {
        return claims.stream().map(ResourceName::value).toList();
    }
}
