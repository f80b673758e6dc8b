package io.fenceline;

import java.time.Duration;
import java.time.Instant;

/**
 * A running lease, for display. Key and lock id are hidden behind a keyed hash; {@link #raw()} returns them.
 */
public final class LockRecord {

    private final Grant grant;
    private final Duration remaining;
    private final Redaction redaction;

    /**
     * Creates the record.
     *
     * @param grant the stored grant
     * @param remaining the remaining time by the store's clock; capped at {@link LockOptions#MAX_TTL}
     * @param redaction hides the key and the lock id
     */
    public LockRecord(Grant grant, Duration remaining, Redaction redaction) {
        this.grant = grant;
        this.remaining = remaining.compareTo(LockOptions.MAX_TTL) > 0 ? LockOptions.MAX_TTL : remaining;
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
     * Returns the remaining time when the store replied.
     *
     * @return a positive duration
     */
    public Duration remaining() {
        return remaining;
    }

    /**
     * Returns the grant with key and lock id. The lock id is a secret: it allows releasing the lock.
     *
     * @return the whole grant
     */
    public Grant raw() {
        return grant;
    }

    /**
     * Returns this record with another grant, for decorators that translate tokens.
     *
     * @param other the grant
     * @return a record with the same remaining time
     */
    public LockRecord withGrant(Grant other) {
        return new LockRecord(other, remaining, redaction);
    }

    /** Returns the record without the key and the lock id. */
    @Override
    public String toString() {
        return "LockRecord[keyHash=" + keyHash() + ", lockIdHash=" + lockIdHash() + ", holder=" + holder() + ", token="
                + token() + ", acquiredAt=" + acquiredAt() + ", expiresAt=" + expiresAt() + "]";
    }
}
