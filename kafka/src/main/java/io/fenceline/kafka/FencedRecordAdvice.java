package io.fenceline.kafka;

import static java.util.Objects.requireNonNull;

import io.fenceline.guard.RefusedMessages;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.FencedListener;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.core.KafkaResourceHolder;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Runs the record listeners of spring-kafka under the stamps of their records: as advice of all factories of containers, by
 * {@link #forAllFactories}, or of one container, by {@code ContainerProperties.setAdviceChain}. A record whose stamp is stale does not reach its listener; one that becomes stale meanwhile cannot commit,
 * as far as {@link io.fenceline.spring.TransactionFences} guard the transaction manager.
 *
 * <p>If the outcome of a refusal returns, the offset is committed. If it throws, for instance {@link RefusedMessages#thrown}, the container's error
 * handler decides; make the refusals not retryable there, so that its recoverer gets them at once.
 * Where a record becomes stale in its listener, the container's Kafka transaction is aborted first, with what the listener sent.
 *
 * <p>For listeners that do their work on the calling thread: neither batch listeners, whose containers do not start, nor methods that return a
 * future or a publisher. Thread-safe if the functions are.
 */
public final class FencedRecordAdvice implements MethodInterceptor {

    private final FencedListener<ConsumerRecord<?, ?>> listener;
    private final Set<String> passing;

    private FencedRecordAdvice(FencedListener<ConsumerRecord<?, ?>> listener, Set<String> passing) {
        this.listener = listener;
        this.passing = passing;
    }

    /**
     * Returns the advice.
     *
     * @param guard guards the database of the listeners' transactions
     * @param resources returns what a record's listener writes
     * @param refused the outcome of records that are refused, as {@link FencedListener} tells it
     * @return the advice
     */
    public static FencedRecordAdvice by(
            JdbcFenceGuard guard,
            Function<ConsumerRecord<?, ?>, String> resources,
            RefusedMessages<ConsumerRecord<?, ?>> refused) {
        return new FencedRecordAdvice(
                FencedListener.by(guard, record -> StampedRecords.read(record.headers()), resources, refused),
                Set.of());
    }

    /**
     * Returns the advice that lets records of some topics pass, whatever their stamps: dead letters, which would be refused once more.
     *
     * @param topics the topics, besides those of earlier calls
     * @return the changed advice
     */
    public FencedRecordAdvice withoutTopics(String... topics) {
        Set<String> all = new HashSet<>(passing);
        all.addAll(List.of(topics));
        return new FencedRecordAdvice(listener, all);
    }

    /**
     * Returns a post-processor that gives advice to all factories of listener containers among the beans, before their other advice. Spring Boot's
     * customizers of containers are not applied to an application's own factories.
     *
     * @param advice returns the advice for a factory, asked for when it has been made
     * @return a post-processor, to be the bean of a static method; throws an {@link IllegalStateException} for a factory that takes no advice
     */
    public static BeanPostProcessor forAllFactories(Supplier<FencedRecordAdvice> advice) {
        requireNonNull(advice, "advice");
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof KafkaListenerContainerFactory<?> factory) {
                    ContainerProperties properties = propertiesOf(factory, name);
                    List<Advice> chain = new ArrayList<>(List.of(advice.get()));
                    chain.addAll(List.of(properties.getAdviceChain()));
                    properties.setAdviceChain(chain.toArray(Advice[]::new));
                }
                return bean;
            }
        };
    }

    /** By reflection: the factories of share groups share no type with this method, and spring-kafka 3 does not have them. */
    private static ContainerProperties propertiesOf(KafkaListenerContainerFactory<?> factory, String name) {
        Method getter = ReflectionUtils.findMethod(factory.getClass(), "getContainerProperties");
        if (getter != null && ReflectionUtils.invokeMethod(getter, factory) instanceof ContainerProperties properties) {
            return properties;
        }
        throw new IllegalStateException(
                "the factory of listener containers '" + name + "' takes no advice, so its listeners"
                        + " would not be guarded: it is a " + factory.getClass().getName());
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object[] arguments = requireNonNull(call, "call").getArguments();
        // A container asks a batch listener what it wants when it starts.
        if (call.getThis() instanceof BatchMessageListener && call.getMethod().getDeclaringClass() != Object.class) {
            throw new IllegalStateException("a batch has no single stamp: use a record listener");
        }
        if (arguments.length == 0
                || !(arguments[0] instanceof ConsumerRecord<?, ?> record)
                || passing.contains(record.topic())) {
            return call.proceed();
        }
        listener.handleInTransaction(record, call::proceed, refusal -> rollBack());
        return null;
    }

    /** Aborts the container's transaction in favour of a new one, which gets the record's offset. */
    private static void rollBack() {
        TransactionSynchronizationManager.getResourceMap().values().forEach(resource -> {
            if (resource instanceof KafkaResourceHolder<?, ?> holder) {
                Producer<?, ?> producer = holder.getProducer();
                producer.abortTransaction();
                producer.beginTransaction();
            }
        });
    }
}
