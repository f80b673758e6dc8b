package io.fenceline.testkit;

import io.fenceline.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Faults by chance, all from one seed: with one thread the same seed gives the same faults.
 *
 * <p>Half of the faults are lost replies, since they are the ones that matter most; a quarter are lost requests and a
 * quarter are refusals.
 */
public final class RandomFaults implements FaultPlan {

    private static final List<ErrorCode> REFUSALS = List.of(
            ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.RATE_LIMITED, ErrorCode.NETWORK_TIMEOUT, ErrorCode.ABORTED);

    private final SplittableRandom random;
    private final double probability;
    private final Duration maxDelay;

    /**
     * Creates the plan.
     *
     * @param seed where the chances come from
     * @param probability how likely an operation fails, from 0 to 1
     * @param maxDelay the longest time that a request or a reply travels
     * @throws IllegalArgumentException if the probability is not from 0 to 1, or the delay is negative
     */
    public RandomFaults(long seed, double probability, Duration maxDelay) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("probability is " + probability + ", it must be from 0 to 1");
        }
        if (maxDelay.isNegative()) {
            throw new IllegalArgumentException("maxDelay is " + maxDelay + ", it cannot be negative");
        }
        this.random = new SplittableRandom(seed);
        this.probability = probability;
        this.maxDelay = maxDelay;
    }

    @Override
    public synchronized Fault next(BackendOperation operation) {
        return loss().withDelayBefore(delay()).withDelayAfter(delay());
    }

    private Fault loss() {
        if (random.nextDouble() >= probability) {
            return Fault.none();
        }
        return switch (random.nextInt(4)) {
            case 0 -> Fault.lostRequest();
            case 1 -> Fault.refusal(REFUSALS.get(random.nextInt(REFUSALS.size())));
            default -> Fault.lostReply();
        };
    }

    private Duration delay() {
        return maxDelay.isZero() ? Duration.ZERO : Duration.ofNanos(random.nextLong(maxDelay.toNanos() + 1));
    }
}
