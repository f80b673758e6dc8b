package io.fenceline;

import org.jspecify.annotations.Nullable;

/** A failure of a lock operation. Contention is not a failure: it is a value, until a wait runs out. */
public abstract class LockException extends RuntimeException {

    private final ErrorCode code;

    LockException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * Returns what kind of failure this is, for programs.
     *
     * @return the code
     */
    public ErrorCode code() {
        return code;
    }
}
