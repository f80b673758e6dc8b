package io.fenceline;

import static java.util.Objects.requireNonNull;

/**
 * The token of a write together with its lock key, for the resource to check.
 *
 * @param key the lock key that the token was granted for
 * @param token the token of the writer's grant
 */
public record FenceStamp(LockKey key, FencingToken token) {

    /** Checks that both are given. */
    public FenceStamp {
        requireNonNull(key, "key");
        requireNonNull(token, "token");
    }
}
