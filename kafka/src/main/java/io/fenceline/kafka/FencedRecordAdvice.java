package io.fenceline.kafka;

import static java.util.Objects.requireNonNull;

import io.fenceline.guard.RefusedMessages;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.FencedListener;
import java.lang.reflect.Method;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchMessageListener;

/**
 * Runs the record listeners of spring-kafka under the stamps of their records: as advice of a container, by {@code
 * ContainerProperties.setAdviceChain}. A record whose stamp is stale does not reach its listener; one that becomes stale meanwhile cannot commit,
 * as far as {@link io.fenceline.spring.TransactionFences} guard the transaction manager.
 *
 * <p>If the outcome of a refusal returns, the offset is committed. If it throws, for instance {@link RefusedMessages#thrown}, the container's error
 * handler decides; make the refusals not retryable there, so that its recoverer gets them at once.
 *
 * <p>For listeners that do their work on the calling thread: neither batch listeners, whose containers do not start, nor methods that return a
 * future or a publisher. Thread-safe if the functions are.
 */
public final class FencedRecordAdvice implements MethodInterceptor {

    private final FencedListener<ConsumerRecord<?, ?>> listener;

    private FencedRecordAdvice(FencedListener<ConsumerRecord<?, ?>> listener) {
        this.listener = listener;
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
                FencedListener.by(guard, record -> StampedRecords.read(record.headers()), resources, refused));
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Method method = requireNonNull(call, "call").getMethod();
        // A container asks a batch listener what it wants when it starts.
        if (call.getThis() instanceof BatchMessageListener && method.getDeclaringClass() != Object.class) {
            throw new IllegalStateException("a batch has no single stamp: use a record listener");
        }
        if (!method.getName().equals("onMessage")) {
            return call.proceed();
        }
        listener.handle((ConsumerRecord<?, ?>) call.getArguments()[0], call::proceed);
        return null;
    }
}
