package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.time.Duration;

/**
 * A fault of one operation on its way to the store and back.
 *
 * @param delayBefore how long the request travels
 * @param loss what is lost on the way
 * @param delayAfter how long the reply travels, or the caller waits for it in vain
 * @param code what the caller is told if something is lost
 * @param effect what the caller can know of the store if something is lost
 */
public record Fault(Duration delayBefore, Loss loss, Duration delayAfter, ErrorCode code, Effect effect) {

    /** The lost part of an operation. */
    public enum Loss {
        /** Nothing: the operation happens and is answered. */
        NOTHING,
        /** The request: the operation does not happen. */
        REQUEST,
        /** The reply: the operation happens, and the caller gets an error. */
        REPLY
    }

    /**
     * Checks that a lost reply is not presented as harmless.
     *
     * @throws IllegalArgumentException if the effect of a lost reply is {@link Effect#NONE}, or a delay is negative
     */
    public Fault {
        if (loss == Loss.REPLY && effect == Effect.NONE) {
            throw new IllegalArgumentException("the effect of a lost reply cannot be NONE");
        }
        if (delayBefore.isNegative() || delayAfter.isNegative()) {
            throw new IllegalArgumentException("delays cannot be negative: " + delayBefore + ", " + delayAfter);
        }
    }

    /**
     * Returns no fault.
     *
     * @return what a healthy store does
     */
    public static Fault none() {
        return new Fault(Duration.ZERO, Loss.NOTHING, Duration.ZERO, ErrorCode.INTERNAL, Effect.UNKNOWN);
    }

    /**
     * Returns a request that never arrives, of which the caller only knows that no reply came.
     *
     * @return {@link ErrorCode#NETWORK_TIMEOUT} with {@link Effect#UNKNOWN}; nothing happens
     */
    public static Fault lostRequest() {
        return new Fault(Duration.ZERO, Loss.REQUEST, Duration.ZERO, ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN);
    }

    /**
     * Returns a reply that never arrives.
     *
     * @return {@link ErrorCode#NETWORK_TIMEOUT} with {@link Effect#UNKNOWN}; the operation happens
     */
    public static Fault lostReply() {
        return new Fault(Duration.ZERO, Loss.REPLY, Duration.ZERO, ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN);
    }

    /**
     * Returns a store that refuses the operation and says so.
     *
     * @param code what it says
     * @return the code with {@link Effect#NONE}; nothing happens
     */
    public static Fault refusal(ErrorCode code) {
        return new Fault(Duration.ZERO, Loss.REQUEST, Duration.ZERO, code, Effect.NONE);
    }

    /**
     * Returns a copy with another code.
     *
     * @param code what the caller is told
     * @return the changed fault
     */
    public Fault withCode(ErrorCode code) {
        return new Fault(delayBefore, loss, delayAfter, code, effect);
    }

    /**
     * Returns a copy with a slow request.
     *
     * @param delay how long the request travels
     * @return the changed fault
     */
    public Fault withDelayBefore(Duration delay) {
        return new Fault(delay, loss, delayAfter, code, effect);
    }

    /**
     * Returns a copy with a slow reply.
     *
     * @param delay how long the reply travels, or the caller waits for a lost one
     * @return the changed fault
     */
    public Fault withDelayAfter(Duration delay) {
        return new Fault(delayBefore, loss, delay, code, effect);
    }

    BackendException failure(BackendOperation operation) {
        String lost = loss == Loss.REPLY ? "reply" : "request";
        return new BackendException(code, effect, "injected fault: " + lost + " of " + operation + " lost", null);
    }
}
