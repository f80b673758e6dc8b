package io.fenceline.amqp;

import static java.util.Objects.requireNonNull;

import io.fenceline.guard.RefusedMessages;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.FencedListener;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.BatchMessageListener;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Runs the listeners of Spring AMQP under the stamps of their messages: as advice of all factories of containers, by {@link #forAllFactories}, or of
 * one container, by {@link #addTo}. A message whose stamp is
 * stale does not reach its listener; one that becomes stale meanwhile cannot commit, as far as {@link io.fenceline.spring.TransactionFences} guard the
 * transaction manager.
 *
 * <p>A refused message is rejected and never requeued: the broker moves it to the queue's dead-letter exchange if there is one, and drops it
 * otherwise. Where a message becomes stale in its listener, a transacted channel is rolled back first, so that nothing goes out that the listener sent
 * (nor what others of the same transaction sent, if the container's {@code batchSize} is above 1).
 * Other failures stay the container's to handle. With manual acknowledgement too: let a listener acknowledge after its
 * transaction has committed, or, where the channel has no transactions, the second answer to a message that became stale closes it.
 *
 * <p>For listeners that do their work on the calling thread: neither batch listeners, which {@link #addTo} refuses, nor methods that
 * return a future or a publisher. Where the advice came by a factory, or {@code setAdviceChain}, each message of a batch is refused. Thread-safe if the functions are.
 */
public final class FencedMessageAdvice implements MethodInterceptor {

    private static final String BATCH = "a batch has no single stamp: use a listener of single messages";

    private final FencedListener<Message> listener;
    private final RefusedMessages<Message> refused;
    private final Set<String> passing;

    private FencedMessageAdvice(
            FencedListener<Message> listener, RefusedMessages<Message> refused, Set<String> passing) {
        this.listener = listener;
        this.refused = refused;
        this.passing = passing;
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
        RefusedMessages<Message> rejected = (message, why) -> reject(message, why, refused);
        return new FencedMessageAdvice(
                FencedListener.by(
                        guard,
                        message -> StampedDeliveries.read(
                                message.getMessageProperties().getHeaders()),
                        resources,
                        rejected),
                rejected,
                Set.of());
    }

    /**
     * Returns the advice that lets messages of some queues pass, whatever their stamps: dead letters, which would be refused once more.
     *
     * @param queues the queues, besides those of earlier calls
     * @return the changed advice
     */
    public FencedMessageAdvice withoutQueues(String... queues) {
        Set<String> all = new HashSet<>(passing);
        all.addAll(List.of(queues));
        return new FencedMessageAdvice(listener, refused, all);
    }

    /**
     * Returns a post-processor that gives advice to all factories of listener containers among the beans, before their other advice. Spring Boot's
     * customizers of containers are not applied to an application's own factories.
     *
     * @param advice returns the advice for a factory, asked for when it has been made
     * @return a post-processor, to be the bean of a static method; throws an {@link IllegalStateException} for a factory of containers whose listeners
     *     cannot be guarded, as those of streams and of AMQP 1.0
     */
    public static BeanPostProcessor forAllFactories(Supplier<FencedMessageAdvice> advice) {
        requireNonNull(advice, "advice");
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof BaseRabbitListenerContainerFactory<?> any) {
                    AbstractRabbitListenerContainerFactory<?> factory = advisable(any, name);
                    List<Advice> chain = new ArrayList<>(List.of(advice.get()));
                    Optional.ofNullable(factory.getAdviceChain()).map(List::of).ifPresent(chain::addAll);
                    factory.setAdviceChain(chain.toArray(Advice[]::new));
                }
                return bean;
            }
        };
    }

    /** Containers of streams and of AMQP 1.0 call their listeners in another way. */
    private static AbstractRabbitListenerContainerFactory<?> advisable(
            BaseRabbitListenerContainerFactory<?> factory, String name) {
        Class<?> containers = ResolvableType.forClass(ClassUtils.getUserClass(factory))
                .as(BaseRabbitListenerContainerFactory.class)
                .getGeneric()
                .resolve(AbstractMessageListenerContainer.class);
        if (factory instanceof AbstractRabbitListenerContainerFactory<?> advisable
                && AbstractMessageListenerContainer.class.isAssignableFrom(containers)) {
            return advisable;
        }
        throw new IllegalStateException("the listeners of the factory of listener containers '" + name
                + "' would not be guarded, since its containers are of another kind: it is a "
                + factory.getClass().getName());
    }

    /**
     * Makes this the advice of a container, in place of other advice.
     *
     * @param container a container that has its listener already, as in Spring's customizers
     * @throws IllegalStateException if its listener takes batches
     */
    public void addTo(AbstractMessageListenerContainer container) {
        MessageListener messages = container.getMessageListener();
        if (messages instanceof BatchMessageListener || messages instanceof ChannelAwareBatchMessageListener) {
            throw new IllegalStateException(BATCH);
        }
        container.setAdviceChain(this);
    }

    private static void reject(Message message, RuntimeException why, RefusedMessages<Message> refused)
            throws Exception {
        try {
            refused.refused(message, why);
        } catch (RuntimeException e) {
            if (e == why) {
                boolean alsoWhereListenersAcknowledge = true;
                throw new AmqpRejectAndDontRequeueException(
                        "refused: " + why.getMessage(), alsoWhereListenersAcknowledge, why);
            }
            throw e;
        }
    }

    private boolean passes(Message message) {
        String queue = message.getMessageProperties().getConsumerQueue();
        return queue != null && passing.contains(queue);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object[] arguments = requireNonNull(call, "call").getArguments();
        if (arguments[1] instanceof Message message) {
            if (passes(message)) {
                return call.proceed();
            }
            if (arguments[0] instanceof ChannelProxy channel && channel.isTransactional()) {
                listener.handleInTransaction(
                        message, call::proceed, refusal -> RabbitUtils.rollbackIfNecessary(channel));
            } else {
                listener.handle(message, call::proceed);
            }
            return null;
        }
        List<?> batch = (List<?>) arguments[1];
        if (batch.stream().allMatch(each -> passes((Message) each))) {
            return call.proceed();
        }
        for (Object each : batch) {
            refused.refused((Message) each, new IllegalStateException(BATCH));
        }
        return null;
    }
}
