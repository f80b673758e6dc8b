package io.fenceline.redis;

import java.time.Duration;

/**
 * The number of replicas that must have a grant or an extension before the caller is told of it.
 *
 * <p>Redis copies to its replicas after it has answered. Without acknowledgement, a fail-over can lose the last grants, and
 * the new master may then grant a lock that is still held; the tokens tell the two apart. With it this needs the loss of the
 * master and of all replicas that acknowledged, or a fail-over to one that did not. It makes that rarer; it is no consensus.
 *
 * @param replicas how many, 0 for none
 * @param timeout how long to wait for them
 */
public record Acknowledgement(int replicas, Duration timeout) {

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if the number is negative, or the timeout is less than a millisecond though replicas
     *     are waited for
     */
    public Acknowledgement {
        if (replicas < 0) {
            throw new IllegalArgumentException("replicas is " + replicas + ", it cannot be negative");
        }
        if (replicas > 0 && timeout.toMillis() < 1) {
            throw new IllegalArgumentException("timeout is " + timeout + ", at least a millisecond is needed");
        }
    }

    /**
     * Returns the default: the master's answer is enough.
     *
     * @return no acknowledgement
     */
    public static Acknowledgement none() {
        return new Acknowledgement(0, Duration.ZERO);
    }

    /**
     * Returns the wait for some replicas.
     *
     * @param replicas how many, at least 1
     * @param timeout how long to wait for them
     * @return the acknowledgement
     */
    public static Acknowledgement of(int replicas, Duration timeout) {
        return new Acknowledgement(replicas, timeout);
    }

    /**
     * Returns the wait for so many replicas that they and the master are more than half of all.
     *
     * @param servers the master and all its replicas, as they were set up and not as many as are up now
     * @param timeout how long to wait for them
     * @return the acknowledgement
     */
    public static Acknowledgement majorityOf(int servers, Duration timeout) {
        return new Acknowledgement(servers / 2, timeout);
    }
}
