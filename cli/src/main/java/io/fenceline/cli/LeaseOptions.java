package io.fenceline.cli;

import io.fenceline.ResourceName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of every lease: of {@code exec}, {@code hold} and {@code elect}. */
final class LeaseOptions {

    static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /** Below this the time that processes take to start would decide. */
    private static final Duration MIN_TTL = Duration.ofSeconds(1);

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            description =
                    "How long the lock stays taken if this process dies: 30s, 1500ms, 2m or PT30S. It is renewed at a"
                            + " third of that. Default: 30s.")
    Duration ttl = DEFAULT_TTL;

    @Option(
            names = "--claim",
            paramLabel = "RESOURCE",
            description =
                    "Once the lock is held and before anything else, claim RESOURCE in the store's fences, so that older"
                            + " holders can no longer write to it. May be repeated.")
    List<ResourceName> claims = new ArrayList<>();

    /**
     * The ttl.
     *
     * @throws CommandFailure if it is too short
     */
    Duration ttl() {
        if (ttl.compareTo(MIN_TTL) < 0) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--ttl must be at least " + DurationText.of(MIN_TTL) + ", it is " + DurationText.of(ttl));
        }
        return ttl;
    }

    /** How long before the end of the ttl the holder begins to stop. */
    Duration safetyMargin(Duration stopping) {
        return ttl.dividedBy(20).plus(stopping);
    }

    /** The names of the resources to claim. */
    List<String> claimed() {
        return claims.stream().map(ResourceName::value).toList();
    }
}
