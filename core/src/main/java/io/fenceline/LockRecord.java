package io.fenceline;

import java.time.Duration;
import java.time.Instant;

/**
 * A running lease as the store describes it, for people. It hides the key and the lock id behind a keyed hash; whoever
 * needs them asks for {@link #raw()} by name.
 */
public final class LockRecord {

    private final Grant grant;
    private final Duration remaining;
    private final Redaction redaction;

    /**
     * Creates the record.
     *
     * @param grant what the store keeps
     * @param remaining how long the lease still runs by the store's clock
     * @param redaction how the key and the lock id are hidden
     */
    public LockRecord(Grant grant, Duration remaining, Redaction redaction) {
        this.grant = grant;
        this.remaining = remaining;
        this.redaction = redaction;
    }

    /**
     * Returns a keyed hash of the key.
     *
     * @return 24 hexadecimal digits
     */
    public String keyHash() {
        return redaction.hash(grant.key().value());
    }

    /**
     * Returns a keyed hash of the lock id.
     *
     * @return 24 hexadecimal digits
     */
    public String lockIdHash() {
        return redaction.hash(grant.lockId().text());
    }

    /**
     * Returns who holds the lock.
     *
     * @return the holder
     */
    public Holder holder() {
        return grant.holder();
    }

    /**
     * Returns the token of the lease.
     *
     * @return the token
     */
    public FencingToken token() {
        return grant.token();
    }

    /**
     * Returns when it was granted, by the store's clock.
     *
     * @return the time of the grant
     */
    public Instant acquiredAt() {
        return grant.acquiredAt();
    }

    /**
     * Returns when it ends, by the store's clock.
     *
     * @return the time from which another may be granted the lock
     */
    public Instant expiresAt() {
        return grant.expiresAt();
    }

    /**
     * Returns how long the lease ran on when the store answered.
     *
     * @return a positive duration
     */
    public Duration remaining() {
        return remaining;
    }

    /**
     * Returns the key and the lock id themselves. Whoever knows the lock id can release the lock.
     *
     * @return the whole grant
     */
    public Grant raw() {
        return grant;
    }

    /** Returns the record without the key and the lock id. */
    @Override
    public String toString() {
        return "LockRecord[keyHash=" + keyHash() + ", lockIdHash=" + lockIdHash() + ", holder=" + holder() + ", token="
                + token() + ", acquiredAt=" + acquiredAt() + ", expiresAt=" + expiresAt() + "]";
    }
}
