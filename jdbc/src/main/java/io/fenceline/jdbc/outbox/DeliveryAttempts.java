package io.fenceline.jdbc.outbox;

import static io.fenceline.jdbc.outbox.OutboxState.COMPENSATED;
import static io.fenceline.jdbc.outbox.OutboxState.COMPENSATING;
import static io.fenceline.jdbc.outbox.OutboxState.DEAD;
import static io.fenceline.jdbc.outbox.OutboxState.DELIVERED;
import static io.fenceline.jdbc.outbox.OutboxState.PENDING;

import io.fenceline.FenceStamp;

/** Calls the user's code for a message, and decides what becomes of the message then. Touches no database. */
final class DeliveryAttempts {

    private final Delivery delivery;
    private final RelayOptions options;
    private final RetryPauses pauses;

    DeliveryAttempts(Delivery delivery, RelayOptions options) {
        this.delivery = delivery;
        this.options = options;
        this.pauses = new RetryPauses(options.retry());
    }

    /** Makes the next attempt for a message, as it was read before that attempt was counted. */
    DeliveryMark make(OutboxEntry entry, FenceStamp relay) throws InterruptedException {
        return entry.state() == COMPENSATING ? compensate(entry) : deliver(entry, relay);
    }

    private DeliveryMark deliver(OutboxEntry entry, FenceStamp relay) throws InterruptedException {
        int number = entry.attempts() + 1;
        if (number > options.maxAttempts()) {
            return givenUp(
                    entry,
                    givenUpAfter(entry.attempts(), "the outcome of the last one is unknown; " + entry.lastError()));
        }
        DeliveryResult result = resultOf(new DeliveryAttempt(entry.message(), number, relay));
        if (result instanceof DeliveryResult.Delivered) {
            return new DeliveryMark(entry, DELIVERED, 0, "");
        }
        if (result instanceof DeliveryResult.Refused refused) {
            return givenUp(entry, "refused: " + refused.reason());
        }
        String reason = ((DeliveryResult.TryAgain) result).reason();
        return number >= options.maxAttempts()
                ? givenUp(entry, givenUpAfter(number, reason))
                : new DeliveryMark(entry, PENDING, pauses.millisAfter(number), reason);
    }

    @SuppressWarnings("ConstantValue") // users' code may have no null checker
    private DeliveryResult resultOf(DeliveryAttempt attempt) throws InterruptedException {
        try {
            DeliveryResult result = delivery.deliver(attempt);
            return result != null ? result : DeliveryResult.tryAgain("the delivery returned null");
        } catch (StackOverflowError e) { // a VirtualMachineError, but the fault of this message
            return DeliveryResult.tryAgain(e.toString());
        } catch (InterruptedException | VirtualMachineError e) {
            throw e;
        } catch (Exception | Error e) { // one message's, and no reason to end the relay of all the others
            return DeliveryResult.tryAgain(e.toString());
        }
    }

    private static String givenUpAfter(int number, String reason) {
        return "given up after " + number + " attempts: " + reason;
    }

    private DeliveryMark givenUp(OutboxEntry entry, String reason) {
        return new DeliveryMark(entry, options.compensation().isPresent() ? COMPENSATING : DEAD, 0, reason);
    }

    /** While a message is to be compensated, its error says why it was given up. */
    private DeliveryMark compensate(OutboxEntry entry) throws InterruptedException {
        int number = entry.compensations() + 1;
        if (options.compensation().isEmpty()) {
            return new DeliveryMark(entry, DEAD, 0, entry.lastError());
        }
        if (number > options.maxAttempts()) {
            return uncompensated(entry, "the outcome of the last attempt is unknown");
        }
        try {
            options.compensation().get().compensate(entry.message(), entry.lastError());
            return new DeliveryMark(entry, COMPENSATED, 0, entry.lastError());
        } catch (StackOverflowError e) {
            return compensateAgain(entry, number, e);
        } catch (InterruptedException | VirtualMachineError e) {
            throw e;
        } catch (Exception | Error e) {
            return compensateAgain(entry, number, e);
        }
    }

    private DeliveryMark compensateAgain(OutboxEntry entry, int number, Throwable failure) {
        return number >= options.maxAttempts()
                ? uncompensated(entry, failure.toString())
                : new DeliveryMark(entry, COMPENSATING, pauses.millisAfter(number), entry.lastError());
    }

    private static DeliveryMark uncompensated(OutboxEntry entry, String reason) {
        return new DeliveryMark(entry, DEAD, 0, entry.lastError() + "; not compensated: " + reason);
    }
}
