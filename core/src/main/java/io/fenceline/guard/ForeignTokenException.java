package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;

/**
 * The writer holds another lock than the resource's. Tokens of different keys cannot be compared, so this is a programming error, or
 * the resource was assigned to another lock.
 */
public final class ForeignTokenException extends RefusedWriteException {

    private final String key;
    private final long presented;
    private final String owner;

    /**
     * Creates the exception.
     *
     * @param resource the resource
     * @param presented the writer's key and token
     * @param owner the lock key that the resource belongs to
     */
    public ForeignTokenException(String resource, FenceStamp presented, LockKey owner) {
        this(
                resource,
                presented,
                owner,
                "take that lock, or move the resource to the new one with 'fenceline guard rebind'");
    }

    /**
     * Creates the exception of a guard that keeps the lock key in a place of its own.
     *
     * @param resource the resource
     * @param presented the writer's key and token
     * @param owner the lock key that the resource belongs to
     * @param remedy what to do about it
     */
    public ForeignTokenException(String resource, FenceStamp presented, LockKey owner, String remedy) {
        super(
                resource,
                "write to '" + resource + "' with a token of lock '" + presented.key()
                        + "' is refused: the resource belongs to lock '" + owner + "'; " + remedy);
        this.key = presented.key().value();
        this.presented = presented.token().value();
        this.owner = owner.value();
    }

    /**
     * Returns the writer's stamp.
     *
     * @return its key and token
     */
    public FenceStamp presented() {
        return new FenceStamp(LockKey.of(key), FencingToken.of(presented));
    }

    /**
     * Returns the lock whose holders may write.
     *
     * @return the lock key that the resource belongs to
     */
    public LockKey owner() {
        return LockKey.of(owner);
    }
}
