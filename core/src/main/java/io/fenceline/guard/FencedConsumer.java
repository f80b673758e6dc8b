package io.fenceline.guard;

import io.fenceline.FenceStamp;
import java.util.Optional;
import java.util.function.Function;

/**
 * Handles messages under a guard: a message whose stamp is stale has no effect, however late it is delivered.
 *
 * <p>The sender sets {@link FenceHeaders}. The handler runs inside a {@link GuardedStep}, so check and effect are as atomic as
 * that step: with a guard in a database, one transaction holds both. Nothing is atomic with the broker's own memory of
 * what was delivered. Acknowledge after {@link #accept} has returned; then a message comes at least once, and a crash in
 * between delivers it again.
 *
 * <p>Under {@link FenceRule#AT_LEAST} a message that comes again is handled again, unless a newer holder has written. Under
 * {@link FenceRule#ONCE} it is refused as stale with a gap of 0; one grant then gets one message through for each resource,
 * so name the resource after what is done once, as in {@code "invoice:42/paid"}.
 *
 * <p>Unless said otherwise, every refusal is thrown. A broker that delivers in order would then deliver the same message
 * for ever; stale ones are final, so drop or record them. Safe for all threads if the functions are.
 *
 * @param <M> the broker's type of message
 * @param <C> what the handler works with
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
     * @param <C> what it works with
     */
    @FunctionalInterface
    public interface Handler<M, C> {

        /**
         * Handles a message whose stamp was accepted. May run again if the guard's store gave up the transaction of the first
         * run; so it should do nothing outside that transaction.
         *
         * @param message the message
         * @param with what the guard gives to work with, for instance a connection in its transaction
         * @throws Exception if handling fails; the step is undone where it can be, and the message is not done with
         */
        void handle(M message, C with) throws Exception;
    }

    /**
     * Creates a consumer that throws every refusal.
     *
     * @param <M> the broker's type of message
     * @param <C> what the handler works with
     * @param stamps reads a message's stamp, with {@link FenceHeaders}
     * @param resources names what a message writes to
     * @param step the guard's write
     * @param handler handles the messages that pass
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
     * Says what becomes of messages of superseded holders and, under {@link FenceRule#ONCE}, of those that come again.
     *
     * @param outcome gets a {@link StaleTokenException}
     * @return a consumer that does so
     */
    public FencedConsumer<M, C> whenStale(RefusedMessages<M> outcome) {
        return new FencedConsumer<>(stamps, resources, step, handler, outcome, missing, mistaken);
    }

    /**
     * Says what becomes of messages without a stamp.
     *
     * @param outcome gets a {@link MissingTokenException}
     * @return a consumer that does so
     */
    public FencedConsumer<M, C> whenMissing(RefusedMessages<M> outcome) {
        return new FencedConsumer<>(stamps, resources, step, handler, stale, outcome, mistaken);
    }

    /**
     * Says what becomes of messages whose stamp cannot be right: unreadable, or of another lock than the resource's.
     *
     * @param outcome gets a {@link MalformedStampException} or a {@link ForeignTokenException}
     * @return a consumer that does so
     */
    public FencedConsumer<M, C> whenMistaken(RefusedMessages<M> outcome) {
        return new FencedConsumer<>(stamps, resources, step, handler, stale, missing, outcome);
    }

    /**
     * Handles a message, or gives it to the outcome of its refusal.
     *
     * @param message the message
     * @return whether it was handled
     * @throws Exception what the handler, the guard or an outcome threw; the message is not done with
     */
    public boolean accept(M message) throws Exception {
        try {
            String resource = resources.apply(message);
            FenceStamp stamp = stamps.apply(message).orElseThrow(() -> new MissingTokenException(resource, REMEDY));
            step.write(resource, stamp, with -> handler.handle(message, with));
            return true;
        } catch (StaleTokenException e) {
            stale.refused(message, e);
        } catch (MissingTokenException e) {
            missing.refused(message, e);
        } catch (ForeignTokenException | MalformedStampException e) {
            mistaken.refused(message, e);
        }
        return false;
    }
}
