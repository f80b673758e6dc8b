package io.fenceline.testkit;

import java.util.HashMap;
import java.util.Map;

/** What locks do when nobody else is there, written down as simply as possible: the specification for Lincheck. */
public final class SequentialLocks {

    private static final int TTL_TICKS = 2;

    private final Map<Integer, Lock> locks = new HashMap<>();
    private int now;

    public long acquire(int key, int id) {
        Lock lock = lockOf(key);
        if (!isHeld(lock)) {
            lock.holder = id;
            lock.end = now + TTL_TICKS;
            lock.tokenOfHolder = ++lock.lastToken;
        }
        return lock.holder == id ? lock.tokenOfHolder : 0;
    }

    public boolean extend(int key, int id) {
        Lock lock = lockOf(key);
        if (!isHeld(lock) || lock.holder != id) {
            return false;
        }
        lock.end = now + TTL_TICKS;
        return true;
    }

    public boolean release(int key, int id) {
        Lock lock = lockOf(key);
        if (!isHeld(lock) || lock.holder != id) {
            return false;
        }
        lock.end = now;
        return true;
    }

    public long lookup(int key) {
        Lock lock = lockOf(key);
        return isHeld(lock) ? lock.tokenOfHolder : 0;
    }

    public long forceRelease(int key) {
        Lock lock = lockOf(key);
        if (!isHeld(lock)) {
            return 0;
        }
        lock.end = now;
        lock.lastToken++;
        return lock.tokenOfHolder;
    }

    public void tick() {
        now++;
    }

    private boolean isHeld(Lock lock) {
        return lock.end > now;
    }

    private Lock lockOf(int key) {
        return locks.computeIfAbsent(key, unused -> new Lock());
    }

    private static final class Lock {
        private int holder;
        private int end;
        private long tokenOfHolder;
        private long lastToken;
    }
}
