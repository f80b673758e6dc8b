package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import java.util.Optional;
import java.util.function.Function;

/**
 * Handles messages under a guard: a message whose stamp is stale has no effect, however late it is delivered.
 *
 * <p>The sender sets {@link FenceHeaders}. The handler runs inside a {@link GuardedStep}, so check and effect are as atomic as
 * that step: with a guard in a database, one transaction holds both. That is not atomic with the
 * broker's acknowledgement. Acknowledge after {@link #accept} has returned: delivery is then at least once, and a crash in between
 * delivers the message again.
 *
 * <p>Under {@link FenceRule#AT_LEAST} a redelivered message is handled again, unless a newer holder has written. Under
 * {@link FenceRule#ONCE} it is refused as stale with a gap of 0; one grant then gets one message through for each resource,
 * so name the resource after the unit of work, as in {@code "invoice:42/paid"}.
 *
 * <p>By default every refusal is thrown. A broker that delivers in order would then redeliver the same message for ever. Stale
 * messages stay stale, so drop or record them. Thread-safe if the functions are.
 *
 * @param <M> the broker's type of message
 * @param <C> the handler's context
 */
public final class FencedConsumer<M, C> {

    private static final String REMEDY =
            "its sender has to set the headers " + FenceHeaders.LOCK + " and " + FenceHeaders.TOKEN;

    private final Function<M, Optional<FenceStamp>> stamps;
    private final Function<M, String> resources;
    private final GuardedStep<C> step;
    private final Handler<M, C> handler;
    private final RefusedMessages<M> stale;
    private final RefusedMessages<M> missing;
    private final RefusedMessages<M> mistaken;

    /**
     * Handles one message.
     *
     * @param <M> the broker's type of message
     * @param <C> its context
     */
    @FunctionalInterface
    public interface Handler<M, C> {

        /**
         * Handles a message whose stamp was accepted. May run again if the store aborted the transaction of the first
         * run; so it should have no effects outside that transaction.
         *
         * @param message the message
         * @param with the context, for instance a connection in a transaction
         * @throws Exception if handling fails; the step is rolled back if possible, and the message is not acknowledged
         */
        void handle(M message, C with) throws Exception;
    }

    /**
     * Creates a consumer that throws every refusal.
     *
     * @param <M> the broker's type of message
     * @param <C> the handler's context
     * @param stamps reads a message's stamp, with {@link FenceHeaders}
     * @param resources returns the resource of a message
     * @param step the guard's write
     * @param handler handles accepted messages
     * @return the consumer
     */
    public static <M, C> FencedConsumer<M, C> of(
            Function<M, Optional<FenceStamp>> stamps,
            Function<M, String> resources,
            GuardedStep<C> step,
            Handler<M, C> handler) {
        RefusedMessages<M> thrown = RefusedMessages.thrown();
        return new FencedConsumer<>(stamps, resources, step, handler, thrown, thrown, thrown);
    }

    private FencedConsumer(
            Function<M, Optional<FenceStamp>> stamps,
            Function<M, String> resources,
            GuardedStep<C> step,
            Handler<M, C> handler,
            RefusedMessages<M> stale,
            RefusedMessages<M> missing,
            RefusedMessages<M> mistaken) {
        this.stamps = stamps;
        this.resources = resources;
        this.step = step;
        this.handler = handler;
        this.stale = stale;
        this.missing = missing;
        this.mistaken = mistaken;
    }

    /**
     * Sets the outcome of messages of superseded holders and, under {@link FenceRule#ONCE}, of redelivered ones.
     *
     * @param outcome gets a {@link StaleTokenException}
     * @return the changed consumer
     */
    public FencedConsumer<M, C> whenStale(RefusedMessages<M> outcome) {
        return new FencedConsumer<>(stamps, resources, step, handler, outcome, missing, mistaken);
    }

    /**
     * Sets the outcome of messages without a stamp.
     *
     * @param outcome gets a {@link MissingTokenException}
     * @return the changed consumer
     */
    public FencedConsumer<M, C> whenMissing(RefusedMessages<M> outcome) {
        return new FencedConsumer<>(stamps, resources, step, handler, stale, outcome, mistaken);
    }

    /**
     * Sets the outcome of messages with an invalid stamp, unreadable or of another lock than the resource's, and of those whose resource cannot be told.
     *
     * @param outcome gets a {@link MalformedStampException}, a {@link ForeignTokenException}, or what {@code resources} throws of a message that
     *     it cannot read: an {@link IllegalArgumentException}, {@link ClassCastException} or {@link NullPointerException}
     * @return the changed consumer
     */
    public FencedConsumer<M, C> whenMistaken(RefusedMessages<M> outcome) {
        return new FencedConsumer<>(stamps, resources, step, handler, stale, missing, outcome);
    }

    /**
     * Handles a message, or passes it to the outcome of its refusal.
     *
     * @param message the message
     * @return whether it was handled
     * @throws Exception from the handler, the guard or an outcome; the message is not acknowledged
     */
    public boolean accept(M message) throws Exception {
        String resource;
        try {
            resource = ResourceName.of(resources.apply(message)).value();
        } catch (IllegalArgumentException | ClassCastException | NullPointerException e) { // so is each attempt
            mistaken.refused(message, e);
            return false;
        }
        FenceStamp stamp;
        try {
            stamp = stamps.apply(message).orElseThrow(() -> new MissingTokenException(resource, REMEDY));
        } catch (MissingTokenException e) {
            missing.refused(message, e);
            return false;
        } catch (MalformedStampException e) {
            mistaken.refused(message, e);
            return false;
        }
        try {
            step.write(resource, stamp, with -> handler.handle(message, with));
            return true;
        } catch (StaleTokenException e) {
            if (!stamp.equals(e.presented())) {
                throw e; // the handler works under a lease of its own, and has lost that
            }
            stale.refused(message, e);
        } catch (ForeignTokenException e) {
            if (!stamp.equals(e.presented())) {
                throw e;
            }
            mistaken.refused(message, e);
        }
        return false;
    }
}
