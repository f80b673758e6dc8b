package io.fenceline.jdbc.product;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.ReleaseSignals;
import java.time.Duration;

/**
 * Signals of a backend that goes on listening for a while when a waiter has gone, so that the next one need not wait until it
 * listens. Whether that one has missed a signal between its refusal and its subscription is told by counting: how many were
 * heard before it asked, and how many when it subscribes.
 */
public interface WaiterSignals extends ReleaseSignals, AutoCloseable {

    /** The count where nobody listens. */
    long DEAF = -1;

    /**
     * Returns how many signals were heard. Asked before the store is.
     *
     * @return a count that grows, or {@link #DEAF}
     */
    long heard(LockKey key);

    /** Remembers what had been heard before an id was refused, for its subscription. */
    void refused(LockKey key, LockId waiter, long heardBefore);

    /**
     * Returns who listens, so that this process can tell its own waiters from those of others.
     *
     * @return a number that the database knows the connection by, 0 if there is none now
     */
    int listener();

    /**
     * Ignores the signals of all but the last of the processes that take their turn after a yield, so that this process asks again
     * when each of them has had the lock.
     *
     * @param pause how long they are given; all signals after it are passed on
     */
    void yielded(LockKey key, int others, Duration pause);

    /** Ends all subscriptions and closes the connection. */
    @Override
    void close();
}
