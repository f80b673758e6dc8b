package io.fenceline.integration;

import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The locks that threads hold.
 *
 * <p>Each thread has its own lease: after one thread's lease is lost and another thread gets the lock, a late unlock by the first must
 * find its own, lost lease.
 */
final class Holds {

    /** A lease, and how often its thread has locked. */
    static final class Hold {
        final Lease lease;
        int count = 1;

        Hold(Lease lease) {
            this.lease = lease;
        }
    }

    private final Locks locks;
    private final LockOptions options;

    @SuppressWarnings("ThreadLocalUsage") // one per registry, since locks of different registries are different
    private final ThreadLocal<Map<LockKey, Hold>> here = ThreadLocal.withInitial(HashMap::new);

    Holds(Locks locks, LockOptions options) {
        this.locks = locks;
        this.options = options;
    }

    Locks locks() {
        return locks;
    }

    LockOptions options() {
        return options;
    }

    /** Returns the hold of this thread. */
    @Nullable
    Hold find(LockKey key) {
        return here.get().get(key);
    }

    void put(Lease lease) {
        here.get().put(lease.key(), new Hold(lease));
    }

    void remove(LockKey key) {
        here.get().remove(key);
    }
}
