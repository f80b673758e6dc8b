package io.fenceline;

import java.time.Instant;

/**
 * The immutable result of one acquisition.
 *
 * @param key the lock that was taken
 * @param lockId the id that it was taken under at the store
 * @param holder who took it, for display
 * @param token the first token that was minted, greater than every earlier one for the key
 * @param tokens how many consecutive tokens were minted, from {@code token} on
 * @param acquiredAt when it was granted, by the backend's clock; for display
 * @param expiresAt when the lock can be granted to another, by the backend's clock; for display, since clients do not
 *     know that clock
 */
public record Grant(
        LockKey key,
        LockId lockId,
        Holder holder,
        FencingToken token,
        int tokens,
        Instant acquiredAt,
        Instant expiresAt) {

    /**
     * Returns the stamp for writes under this grant.
     *
     * @return the key and the first token
     */
    public FenceStamp stamp() {
        return new FenceStamp(key, token);
    }

    /**
     * Returns the last token of the grant.
     *
     * @return {@code token} if one was minted
     */
    public FencingToken lastToken() {
        return tokens == 1 ? token : new FencingToken(token.value() + tokens - 1);
    }
}
