package io.fenceline.jdbc.product;

import io.fenceline.LockKey;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Decides how long a process that has had its share of a lock leaves it to others who seem to wait: long enough for a distant process to be
 * told and to ask, as long as such pauses are used. After one in which nobody came, the next ones are short.
 *
 * <p>A long pause costs little if somebody comes, since this process is told of the release that ends their turn.
 */
public final class YieldPauses {

    /** Enough for somebody with a round trip of some 60 ms to be told and to ask. */
    static final Duration LONG = Duration.ofMillis(100);

    /** Some round trips nearby. */
    static final Duration SHORT = Duration.ofMillis(5);

    private static final int MOST_SHORT_ONES = 32;
    private static final int KEYS = 1000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<LockKey, Yields> byKey = new LinkedHashMap<>();

    /** Creates an empty memory. */
    public YieldPauses() {}

    /** The yields of a lock, as long as nobody comes. */
    private static final class Yields {
        private long lastFence = -1;
        private boolean wasLong;
        private int shortOnes;
        private int next;
    }

    /** Returns how long to leave a lock to others. */
    public Duration next(LockKey key) {
        lock.lock();
        try {
            Yields yields = byKey.get(key);
            return yields == null || yields.next == 0 ? LONG : SHORT;
        } finally {
            lock.unlock();
        }
    }

    /** Remembers a yield. */
    public void yielded(LockKey key, long lastFence) {
        lock.lock();
        try {
            Yields yields = byKey.computeIfAbsent(key, unknown -> new Yields());
            yields.lastFence = lastFence;
            yields.wasLong = yields.next == 0;
            yields.next = Math.max(0, yields.next - 1);
            if (byKey.size() > KEYS) {
                byKey.remove(byKey.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Learns from a grant after a yield whether others had the lock in between. */
    public void granted(LockKey key, long token) {
        lock.lock();
        try {
            Yields yields = byKey.get(key);
            if (yields == null || yields.lastFence < 0) {
                return;
            }
            if (token > yields.lastFence + 1) {
                byKey.remove(key);
                return;
            }
            yields.lastFence = -1;
            if (yields.wasLong) {
                yields.shortOnes = Math.min(MOST_SHORT_ONES, Math.max(1, 2 * yields.shortOnes));
                yields.next = yields.shortOnes;
            }
        } finally {
            lock.unlock();
        }
    }
}
