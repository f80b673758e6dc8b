package io.fenceline.benchmarks.contender;

/** One process's open handle of one contender. Safe for all threads. */
public interface LockClient extends AutoCloseable {

    /** Returns a thread's way to lock a key. */
    KeyLock lock(String key) throws Exception;

    @Override
    void close() throws Exception;
}
