package io.fenceline.jms;

import io.fenceline.guard.RefusedMessages;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.FencedListener;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.util.List;
import java.util.function.Function;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

/**
 * A container of Spring JMS that runs its listener under the stamps of the messages. A message whose stamp is stale does not reach the listener; one
 * that becomes stale meanwhile cannot commit, as far as {@link io.fenceline.spring.TransactionFences} guard the transaction manager.
 *
 * <p>If the outcome of a refusal returns, the message is acknowledged. JMS has no way to reject a message for good: if the outcome throws, the broker
 * delivers the message again, as often as it is set to. So let the outcome keep the message, in another queue for instance.
 *
 * <p>For sessions that are transacted, as those of Spring Boot are. Thread-safe if the functions are.
 */
public final class FencedListenerContainer extends DefaultMessageListenerContainer {

    private final FencedListener<Message> listener;

    private FencedListenerContainer(FencedListener<Message> listener) {
        this.listener = listener;
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
                return new FencedListenerContainer(listener);
            }
        };
    }

    @Override
    protected void invokeListener(Session session, Message message) throws JMSException {
        FencedListener.Call call = () -> {
            super.invokeListener(session, message);
            return null;
        };
        try {
            String id = message.getJMSMessageID();
            if (session.getTransacted() && id != null) {
                listener.handleInTransaction(message, List.of(this, id), call);
            } else {
                listener.handle(message, call);
            }
        } catch (JMSException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
