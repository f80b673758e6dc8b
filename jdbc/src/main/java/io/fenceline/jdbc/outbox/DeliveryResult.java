package io.fenceline.jdbc.outbox;

import java.util.Objects;

/** The result of an attempt to deliver a message. */
public sealed interface DeliveryResult {

    /** The receiver has the message, from this attempt or from an earlier one. */
    record Delivered() implements DeliveryResult {}

    /**
     * It is not known to be delivered, and a later attempt may succeed.
     *
     * @param reason for operators
     */
    record TryAgain(String reason) implements DeliveryResult {
        /** Checks that there is a reason. */
        public TryAgain {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * The receiver refused it and always will.
     *
     * @param reason for operators
     */
    record Refused(String reason) implements DeliveryResult {
        /** Checks that there is a reason. */
        public Refused {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * Returns that the receiver has the message.
     *
     * @return the result
     */
    static DeliveryResult delivered() {
        return new Delivered();
    }

    /**
     * Returns that it is to be tried again.
     *
     * @param reason for operators
     * @return the result
     */
    static DeliveryResult tryAgain(String reason) {
        return new TryAgain(reason);
    }

    /**
     * Returns that the receiver always will refuse it.
     *
     * @param reason for operators
     * @return the result
     */
    static DeliveryResult refused(String reason) {
        return new Refused(reason);
    }
}
