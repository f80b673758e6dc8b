package io.fenceline.testkit;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.List;

/**
 * The part of the contracts that a backend's test supplies: one store with nothing in it, and the store's clock.
 *
 * <p>Each test gets a fixture of its own. What differs between backends is a value here, so that no contract has to know
 * which backend it tests.
 */
public interface BackendFixture extends AutoCloseable {

    /**
     * Opens one more backend on the store, as another process would.
     *
     * @return a backend; the fixture closes those that the test leaves open
     */
    LockBackend open();

    /**
     * Returns how the store finds its tokens.
     *
     * @return the mode that every {@link #open() opened} backend uses
     */
    TokenMode tokenMode();

    /**
     * Closes every open backend and restarts the store, or does what comes nearest to a restart. What the store
     * acknowledged must outlive this; the test opens anew.
     */
    void restart();

    /**
     * Closes every open backend and makes the store lose all that it knows, as a server without persistence does that is killed;
     * the test opens anew.
     *
     * @return whether it did; false for a store that cannot lose what it acknowledged
     */
    default boolean loseEverything() {
        return false;
    }

    /**
     * Lets time pass by the store's clock. Override it where that clock can be moved by hand; as it stands it really
     * waits.
     *
     * @param time how much at least
     */
    default void passTime(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        try {
            for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
                Delays.system().park(left);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while time passed", e);
        }
    }

    /**
     * Returns a ttl that tests let expire. Where {@link #passTime} really waits, it is short enough to be waited for and
     * long enough for ten calls to fit into half of it.
     *
     * @return whole milliseconds
     */
    default Duration shortTtl() {
        return Duration.ofMillis(500);
    }

    /**
     * Returns how long after its end a lease still counts, so that nobody else is granted the lock. A layout that is shared with
     * another system may have to honour that system's tolerance for clocks that differ.
     *
     * @return zero if a lease is over at its end
     */
    default Duration grace() {
        return Duration.ZERO;
    }

    /**
     * Returns whether the store keeps the holder's text and tells it to others. A layout that is shared with another system
     * may have no room for it.
     *
     * @return whether the holder comes back as it was given
     */
    default boolean keepsHolder() {
        return true;
    }

    /**
     * Returns whether the store still knows a key that was released. One whose tokens follow a clock may forget it.
     *
     * @return whether released keys are listed
     */
    default boolean keepsFreeKeys() {
        return true;
    }

    /**
     * Returns whether the store takes a key. A layout that is shared with another system must refuse, as bad input, what that
     * system would lock in another way; the fixture's own test shows that it does.
     *
     * @param key a valid key
     * @return whether it can be locked
     */
    default boolean takes(LockKey key) {
        return true;
    }

    /**
     * Returns user keys that look like the names under which the store keeps other things of a held lock: its counter, an
     * index, a queue, a channel. They must be ordinary keys.
     *
     * @param key a lock that is held
     * @param lockId the id that holds it
     * @return imitations that are special to this store; may be empty
     */
    default List<String> internalNames(LockKey key, LockId lockId) {
        return List.of();
    }

    /**
     * Returns how many threads race in the concurrency tests.
     *
     * @return at least 2
     */
    default int racers() {
        return 8;
    }

    /**
     * Returns how many cycles of acquire and release each racing thread goes through. A fast store can afford many.
     *
     * @return at least 1
     */
    default int cycles() {
        return 25;
    }

    /** Closes what was opened and removes the store. */
    @Override
    void close();
}
