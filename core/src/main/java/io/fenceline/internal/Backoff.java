package io.fenceline.internal;

import io.fenceline.RetryPolicy;
import java.util.function.DoubleSupplier;

/** The pauses between one waiter's attempts. Not safe for several threads. */
final class Backoff {

    private static final long SHORTEST_NANOS = 1_000_000;

    private final RetryPolicy policy;
    private final DoubleSupplier random;
    private long rawNanos;

    /** Pauses of a waiter that is refused though no lease runs; doubled each time. */
    private long busyNanos = SHORTEST_NANOS;

    Backoff(RetryPolicy policy, DoubleSupplier random) {
        this.policy = policy;
        this.random = random;
        this.rawNanos = policy.baseDelay().toNanos();
    }

    long nextNanos() {
        long raw = rawNanos;
        if (policy.backoff() == RetryPolicy.Backoff.EXPONENTIAL) {
            rawNanos = Math.min(raw * 2, policy.maxDelay().toNanos());
        }
        return jittered(raw);
    }

    /** How long a waiter that expects to be woken waits before it asks again all the same. */
    long safetyNetNanos() {
        return jittered(policy.maxDelay().toNanos());
    }

    /**
     * The end of another's lease as seen from here, spread so that its waiters do not all ask at once; over no longer than it
     * is away. If no lease runs, somebody is just being granted one, which can take a while: pauses grow then.
     */
    long afterLeaseEndNanos(long remainingNanos) {
        if (remainingNanos <= 0) {
            long raw = busyNanos;
            busyNanos = Math.min(raw * 2, policy.maxDelay().toNanos());
            return jittered(raw);
        }
        busyNanos = SHORTEST_NANOS;
        long spread = Math.min(policy.baseDelay().toNanos() / 4, remainingNanos);
        return remainingNanos + (long) (spread * random.getAsDouble());
    }

    private long jittered(long raw) {
        long nanos = switch (policy.jitter()) {
            case EQUAL -> (long) (raw * (1 + random.getAsDouble()) / 2);
            case FULL -> (long) (raw * random.getAsDouble());
            case NONE -> raw;
        };
        return Math.max(nanos, 1);
    }
}
