package io.fenceline.jms;

import io.fenceline.guard.RefusedMessages;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.FencedListener;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

/**
 * A container of Spring JMS that runs its listener under the stamps of the messages. A message whose stamp is stale does not reach the listener; one
 * that becomes stale meanwhile cannot commit, as far as {@link io.fenceline.spring.TransactionFences} guard the transaction manager.
 *
 * <p>Where a message becomes stale in its listener, a transacted session is rolled back first, with what the listener sent; the message is refused when it
 * comes again. If the outcome of a refusal returns, the message is acknowledged. JMS has no way to reject a message for good: if the outcome throws, the broker
 * delivers the message again, as often as it is set to. So let the outcome keep the message, in another queue for instance.
 *
 * <p>For sessions that are transacted, as those of Spring Boot are. Thread-safe if the functions are.
 */
public final class FencedListenerContainer extends DefaultMessageListenerContainer {

    private static final int MOST_ROLLED_BACK = 1_000;

    private final FencedListener<Message> listener;
    private final RefusedMessages<Message> refused;

    /** Refusals by the id of a message that is delivered once more. Nobody else can tell: a listener may have been refused for a resource that it entered itself. */
    private final Map<String, RuntimeException> rolledBack = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RuntimeException> eldest) {
            return size() > MOST_ROLLED_BACK; // other processes may get them
        }
    });

    private FencedListenerContainer(FencedListener<Message> listener, RefusedMessages<Message> refused) {
        this.listener = listener;
        this.refused = refused;
    }

    /**
     * Returns a factory of such containers, for {@code @JmsListener}.
     *
     * @param guard guards the database of the listeners' transactions
     * @param resources returns what a message's listener writes
     * @param refused the outcome of messages that are refused, as {@link FencedListener} tells it
     * @return the factory, to be configured as Spring's
     */
    public static DefaultJmsListenerContainerFactory factory(
            JdbcFenceGuard guard, Function<Message, String> resources, RefusedMessages<Message> refused) {
        FencedListener<Message> listener = FencedListener.by(guard, StampedMessages::read, resources, refused);
        return new DefaultJmsListenerContainerFactory() {
            @Override
            protected DefaultMessageListenerContainer createContainerInstance() {
                return new FencedListenerContainer(listener, refused);
            }
        };
    }

    @Override
    protected void invokeListener(Session session, Message message) throws JMSException {
        FencedListener.Call call = () -> {
            super.invokeListener(session, message);
            return null;
        };
        String id = message.getJMSMessageID();
        RuntimeException known = id == null ? null : rolledBack.get(id);
        try {
            if (known != null) {
                tell(message, id, known);
            } else if (session.getTransacted()) {
                listener.handleInTransaction(message, call, refusal -> deliverAgain(id, refusal));
            } else {
                listener.handle(message, call);
            }
        } catch (JMSException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** An outcome that fails is asked again. */
    private void tell(Message message, String id, RuntimeException known) throws Exception {
        try {
            refused.refused(message, known);
        } catch (Exception e) {
            if (e == known) {
                rolledBack.remove(id);
            }
            throw e;
        }
        rolledBack.remove(id);
    }

    /** A session cannot be rolled back without its message. The refusal is no cause: error handlers that look for one do not let the broker repeat it. */
    private void deliverAgain(@Nullable String id, RuntimeException refusal) {
        if (id != null) {
            rolledBack.put(id, refusal);
        }
        IllegalStateException again = new IllegalStateException(
                "refused at its commit: the session is rolled back, and the message delivered and refused again; "
                        + refusal.getMessage());
        again.addSuppressed(refusal);
        throw again;
    }
}
