package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;

/**
 * The writer was superseded: the resource has seen a greater token. The writer must stop its work under this grant; a retry cannot
 * succeed.
 */
public final class StaleTokenException extends RefusedWriteException {

    private final String key;
    private final long presented;
    private final long highest;

    /**
     * Creates the exception.
     *
     * @param resource the resource
     * @param presented the writer's key and token
     * @param highest the greatest token that the resource has seen
     */
    public StaleTokenException(String resource, FenceStamp presented, FencingToken highest) {
        super(resource, message(resource, presented, highest));
        this.key = presented.key().value();
        this.presented = presented.token().value();
        this.highest = highest.value();
    }

    private static String message(String resource, FenceStamp presented, FencingToken highest) {
        String what = "write to '" + resource + "' with token " + presented.token() + " of lock '" + presented.key()
                + "' is refused: ";
        return presented.token().equals(highest)
                ? what + "this grant has written, and each grant writes once"
                : what + "the resource has seen token " + highest + ", so another holder is at work";
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
     * Returns the greatest token that the resource has seen.
     *
     * @return a token of the same lock key
     */
    public FencingToken highest() {
        return FencingToken.of(highest);
    }

    /**
     * Returns how far the writer is behind.
     *
     * @return the difference of the tokens; 0 if the grant had written before and writes once
     */
    public long gap() {
        return highest - presented;
    }
}
