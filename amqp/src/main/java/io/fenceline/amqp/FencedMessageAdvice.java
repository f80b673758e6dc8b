package io.fenceline.amqp;

import static java.util.Objects.requireNonNull;

import io.fenceline.guard.RefusedMessages;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.FencedListener;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Message;

/**
 * Runs the listeners of Spring AMQP under the stamps of their messages: as advice of a container, by {@code setAdviceChain}. A message whose stamp is
 * stale does not reach its listener; one that becomes stale meanwhile cannot commit, as far as {@link io.fenceline.spring.TransactionFences} guard the
 * transaction manager.
 *
 * <p>A refused message is rejected and never requeued: the broker moves it to the queue's dead-letter exchange if there is one, and drops it
 * otherwise. Other failures stay the container's to handle.
 *
 * <p>For listeners that do their work on the calling thread: neither batch listeners, which are refused, nor methods that return a future or
 * a publisher. Thread-safe if the functions are.
 */
public final class FencedMessageAdvice implements MethodInterceptor {

    private final FencedListener<Message> listener;

    private FencedMessageAdvice(FencedListener<Message> listener) {
        this.listener = listener;
    }

    /**
     * Returns advice that rejects refused messages.
     *
     * @param guard guards the database of the listeners' transactions
     * @param resources returns what a message's listener writes
     * @return the advice
     */
    public static FencedMessageAdvice by(JdbcFenceGuard guard, Function<Message, String> resources) {
        return by(guard, resources, RefusedMessages.thrown());
    }

    /**
     * Returns advice.
     *
     * @param guard guards the database of the listeners' transactions
     * @param resources returns what a message's listener writes
     * @param refused the outcome of messages that are refused, as {@link FencedListener} tells it. If it returns, the message counts as handled;
     *     if it throws the refusal, the message is rejected
     * @return the advice
     */
    public static FencedMessageAdvice by(
            JdbcFenceGuard guard, Function<Message, String> resources, RefusedMessages<Message> refused) {
        requireNonNull(refused, "refused");
        return new FencedMessageAdvice(FencedListener.by(
                guard,
                message -> StampedDeliveries.read(message.getMessageProperties().getHeaders()),
                resources,
                (message, why) -> rejected(message, why, refused)));
    }

    private static void rejected(Message message, RuntimeException why, RefusedMessages<Message> refused)
            throws Exception {
        try {
            refused.refused(message, why);
        } catch (RuntimeException e) {
            if (e == why) {
                throw new AmqpRejectAndDontRequeueException("refused: " + why.getMessage(), why);
            }
            throw e;
        }
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object[] arguments = requireNonNull(call, "call").getArguments();
        if (arguments.length < 2 || !(arguments[1] instanceof Message message)) {
            throw new IllegalStateException("a batch has no single stamp: use a listener of single messages");
        }
        listener.handle(message, call::proceed);
        return null;
    }
}
