package io.fenceline;

import org.jspecify.annotations.Nullable;

/** A failure of a lock operation. Contention is no failure; it is a return value until the wait times out. */
public abstract class LockException extends RuntimeException {

    private final ErrorCode code;

    LockException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * Returns the kind of failure.
     *
     * @return the code
     */
    public ErrorCode code() {
        return code;
    }
}
