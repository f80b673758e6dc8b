package io.fenceline;

import org.jspecify.annotations.Nullable;

/** The store refused, failed, or did not answer. */
public final class BackendException extends LockException {

    private final Effect effect;

    /**
     * Creates the exception.
     *
     * @param code the kind of failure
     * @param effect the state of the store, as far as known
     * @param message what happened and, where possible, what to do
     * @param cause the driver's exception, if any
     */
    public BackendException(ErrorCode code, Effect effect, String message, @Nullable Throwable cause) {
        super(code, message + " [" + code + ", effect " + effect + "]", cause);
        this.effect = effect;
    }

    /**
     * Returns the state of the store after this failure, as far as known.
     *
     * @return {@link Effect#UNKNOWN} if the change may have happened
     */
    public Effect effect() {
        return effect;
    }
}
