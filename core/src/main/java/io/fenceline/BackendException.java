package io.fenceline;

import org.jspecify.annotations.Nullable;

/** The store refused, failed, or did not answer. */
public final class BackendException extends LockException {

    private final Effect effect;

    /**
     * Creates the exception.
     *
     * @param code what kind of failure it is
     * @param effect what is known about the store now
     * @param message what happened and, where it can be said, what to do about it
     * @param cause the driver's own exception, if there is one
     */
    public BackendException(ErrorCode code, Effect effect, String message, @Nullable Throwable cause) {
        super(code, message + " [" + code + ", effect " + effect + "]", cause);
        this.effect = effect;
    }

    /**
     * Returns what is known about the store after this failure.
     *
     * @return {@link Effect#UNKNOWN} if the change may have happened
     */
    public Effect effect() {
        return effect;
    }
}
