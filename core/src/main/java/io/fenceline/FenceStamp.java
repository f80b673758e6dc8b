package io.fenceline;

/**
 * The part of a write that its resource checks: the token, and the lock key within which the token means something.
 *
 * @param key the lock key that the token was granted for
 * @param token the token of the writer's grant
 */
public record FenceStamp(LockKey key, FencingToken token) {}
