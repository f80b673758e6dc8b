package io.fenceline.internal;

import io.fenceline.RetryPolicy;
import java.util.function.DoubleSupplier;

/** Computes the pauses between one waiter's attempts. Not thread-safe. */
final class Backoff {

    private static final long MIN_NANOS = 1_000_000;

    private final RetryPolicy policy;
    private final DoubleSupplier random;
    private long rawNanos;

    /** The pause after a refusal although no lease runs; doubles each time. */
    private long busyNanos = MIN_NANOS;

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

    /** The pause of a waiter that expects a signal: it polls in case the signal is lost. */
    long safetyNetNanos() {
        return jittered(policy.maxDelay().toNanos());
    }

    /**
     * The pause until the present lease ends, plus jitter so that its waiters do not all retry at once. The jitter is at most the
     * remaining time. If no lease runs, another client is just being granted one: pauses then grow exponentially.
     */
    long afterLeaseEndNanos(long remainingNanos) {
        if (remainingNanos <= 0) {
            long raw = busyNanos;
            busyNanos = Math.min(raw * 2, policy.maxDelay().toNanos());
            return jittered(raw);
        }
        busyNanos = MIN_NANOS;
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
