package io.fenceline;

import org.jspecify.annotations.Nullable;

/**
 * A lease has ended while its holder relied on it. Another client may hold the lock already; guards that have seen its token
 * refuse the old one.
 */
public final class LeaseLostException extends LockException {

    private final String key;
    private final long token;
    private final LossReason reason;

    /**
     * Creates the exception.
     *
     * @param stamp the key and the token of the lost lease
     * @param reason the reason
     * @param cause the last failure of a renewal, if one led to the loss
     */
    public LeaseLostException(FenceStamp stamp, LossReason reason, @Nullable Throwable cause) {
        super(
                ErrorCode.LEASE_LOST,
                "lease of lock '" + stamp.key() + "' with token " + stamp.token() + " is lost: " + reason.explanation(),
                cause);
        this.key = stamp.key().value();
        this.token = stamp.token().value();
        this.reason = reason;
    }

    /**
     * Returns the key and the token of the lost lease.
     *
     * @return the stamp, as {@link Lease#stamp()} still gives it
     */
    public FenceStamp stamp() {
        return new FenceStamp(LockKey.of(key), FencingToken.of(token));
    }

    /**
     * Returns the reason.
     *
     * @return the reason
     */
    public LossReason reason() {
        return reason;
    }
}
