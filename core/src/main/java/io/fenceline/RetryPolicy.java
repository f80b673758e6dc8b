package io.fenceline;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * Pauses between the attempts of a waiter that gets no signals.
 *
 * @param baseDelay the first pause before jitter; above zero
 * @param maxDelay the longest pause before jitter, and how long a waiter relies on signals before it polls; at
 *     least {@code baseDelay}
 * @param backoff how the pause grows
 * @param jitter how much of it is left to chance
 */
public record RetryPolicy(Duration baseDelay, Duration maxDelay, Backoff backoff, Jitter jitter) {

    /** The growth of the pauses. */
    public enum Backoff {
        /** Doubles, up to the longest pause. */
        EXPONENTIAL,
        /** Stays. */
        FIXED
    }

    /** The random part of a pause, so that waiters do not retry in lockstep. */
    public enum Jitter {
        /** Half of the pause is fixed, half is random. */
        EQUAL,
        /** The whole pause is random. */
        FULL,
        /** Nothing is random. */
        NONE
    }

    private static final RetryPolicy DEFAULTS =
            new RetryPolicy(Duration.ofMillis(100), Duration.ofSeconds(1), Backoff.EXPONENTIAL, Jitter.EQUAL);

    /**
     * Checks the delays.
     *
     * @throws IllegalArgumentException if a delay is not above zero, or the longest is below the base
     */
    public RetryPolicy {
        requireNonNull(baseDelay, "baseDelay");
        requireNonNull(maxDelay, "maxDelay");
        requireNonNull(backoff, "backoff");
        requireNonNull(jitter, "jitter");
        if (baseDelay.isNegative() || baseDelay.isZero()) {
            throw new IllegalArgumentException("baseDelay is " + baseDelay + ", it must be above zero");
        }
        if (maxDelay.compareTo(baseDelay) < 0 || maxDelay.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "maxDelay is " + maxDelay + ", it must be from baseDelay (" + baseDelay + ") to one day");
        }
    }

    /**
     * Returns 100 ms, doubled up to 1 s, half of each pause random.
     *
     * @return the default policy
     */
    public static RetryPolicy defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with another first pause; the longest pause is raised to it if it was shorter.
     *
     * @param baseDelay above zero
     * @return the changed policy
     */
    public RetryPolicy withBaseDelay(Duration baseDelay) {
        return new RetryPolicy(
                baseDelay,
                maxDelay.compareTo(requireNonNull(baseDelay, "baseDelay")) < 0 ? baseDelay : maxDelay,
                backoff,
                jitter);
    }

    /**
     * Returns a copy with another longest pause.
     *
     * @param maxDelay at least the first pause
     * @return the changed policy
     */
    public RetryPolicy withMaxDelay(Duration maxDelay) {
        return new RetryPolicy(baseDelay, maxDelay, backoff, jitter);
    }

    /**
     * Returns a copy with another growth.
     *
     * @param backoff how the pause grows
     * @return the changed policy
     */
    public RetryPolicy withBackoff(Backoff backoff) {
        return new RetryPolicy(baseDelay, maxDelay, backoff, jitter);
    }

    /**
     * Returns a copy with another jitter.
     *
     * @param jitter the random part
     * @return the changed policy
     */
    public RetryPolicy withJitter(Jitter jitter) {
        return new RetryPolicy(baseDelay, maxDelay, backoff, jitter);
    }
}
