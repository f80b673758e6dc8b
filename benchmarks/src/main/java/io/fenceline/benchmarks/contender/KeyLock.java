package io.fenceline.benchmarks.contender;

/** One thread's way to lock one key, as often as it likes. */
public interface KeyLock {

    /** Waits until the lock is taken. Returns the fencing token, or 0 if the contender has none. */
    long acquire() throws Exception;

    /** Gives the lock back. Called by the thread that acquired it. */
    void release() throws Exception;
}
