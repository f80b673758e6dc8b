package io.fenceline;

import java.time.Instant;

/**
 * The immutable outcome of one acquisition.
 *
 * @param key the lock that was taken
 * @param lockId the id that it was taken under
 * @param holder who took it, for people
 * @param token the first token that was minted, greater than every earlier one for the key
 * @param tokens how many consecutive tokens were minted, from {@code token} on
 * @param acquiredAt when it was granted, by the backend's clock; for display
 * @param expiresAt from when on it may be granted to another, by the backend's clock; for display, since no client knows
 *     what that clock says now
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
     * Returns what a write under this grant carries.
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
