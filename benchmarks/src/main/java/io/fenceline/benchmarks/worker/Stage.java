package io.fenceline.benchmarks.worker;

import io.fenceline.benchmarks.contender.Contenders;
import io.fenceline.benchmarks.contender.KeyLock;
import io.fenceline.benchmarks.contender.LockClient;
import io.fenceline.benchmarks.store.StoreAddress;
import java.util.HashMap;
import java.util.Map;

/** Holds the contender that a worker has open, if any. */
public final class Stage {

    private final Map<String, KeyLock> locks = new HashMap<>();
    private LockClient client;

    /** Opens a contender. */
    void open(String contender, StoreAddress address) throws Exception {
        close();
        client = Contenders.named(contender).opener().open(address);
    }

    /** Returns the open contender. */
    LockClient client() {
        return client;
    }

    /** Returns this thread's way to lock a key; the same for one that was asked for before. */
    KeyLock lock(String key) throws Exception {
        KeyLock lock = locks.get(key);
        if (lock == null) {
            lock = client.lock(key);
            locks.put(key, lock);
        }
        return lock;
    }

    /** Closes the contender, if one is open. */
    void close() throws Exception {
        locks.clear();
        if (client != null) {
            LockClient closing = client;
            client = null;
            closing.close();
        }
    }
}
