package io.fenceline.redis;

import java.util.Optional;

/** A SyncGuard process that shares a Redis with us, or something that acts like one. */
interface SyncGuardPeer extends AutoCloseable {

    /** A lock that the peer has taken. */
    record Taken(String lockId, long expiresAtMs, String fence) {}

    /** What the peer sees of a lock; it shows hashes of key and lock id. */
    record Seen(String keyHash, String lockIdHash, long expiresAtMs, long acquiredAtMs, String fence) {}

    /** Empty if the lock is refused. */
    Optional<Taken> acquire(String key, long ttlMillis);

    boolean release(String lockId);

    /** The new end. */
    Optional<Long> extend(String lockId, long ttlMillis);

    boolean isLocked(String key);

    Optional<Seen> lookupKey(String key);

    Optional<Seen> lookupId(String lockId);

    @Override
    void close();
}
