package io.fenceline.redis;

import java.time.Duration;

/**
 * The number of replicas that must acknowledge a grant or an extension before the caller gets it.
 *
 * <p>Redis replicates asynchronously. Without acknowledgement, a failover can lose the last grants, and the new master may then
 * grant a lock that is still held; the tokens tell the two holders apart. With it, this takes the loss of the master and of all
 * replicas that acknowledged, or a failover to one that did not. It makes that rarer; it is no consensus.
 *
 * @param replicas the number of replicas, 0 for none
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
     * Returns the default: no replica has to acknowledge.
     *
     * @return no acknowledgement
     */
    public static Acknowledgement none() {
        return new Acknowledgement(0, Duration.ZERO);
    }

    /**
     * Returns an acknowledgement by a number of replicas.
     *
     * @param replicas the number of replicas, at least 1
     * @param timeout how long to wait for them
     * @return the acknowledgement
     */
    public static Acknowledgement of(int replicas, Duration timeout) {
        return new Acknowledgement(replicas, timeout);
    }

    /**
     * Returns an acknowledgement by as many replicas as form a majority together with the master.
     *
     * @param servers the number of servers as configured: the master and all its replicas, also those that are down
     * @param timeout how long to wait for them
     * @return the acknowledgement
     */
    public static Acknowledgement majorityOf(int servers, Duration timeout) {
        return new Acknowledgement(servers / 2, timeout);
    }
}
