package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.core.BatchMessageListener;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;

/** Listeners of batches, which have no single stamp. */
class BatchListenerTest {

    private static final BatchMessageListener BATCHES = messages -> {
        throw new AssertionError("the listener was called");
    };

    private final FencedMessageAdvice advice =
            FencedMessageAdvice.by(JdbcFenceGuard.on(new PGSimpleDataSource()), message -> "invoice/42");

    static MessageListener[] batchListeners() {
        return new MessageListener[] {BATCHES, (ChannelAwareBatchMessageListener) (messages, channel) -> {}};
    }

    @ParameterizedTest
    @MethodSource("batchListeners")
    void isRefusedWhenItsContainerIsMade(MessageListener listener) {
        SimpleMessageListenerContainer container = new SimpleMessageListenerContainer();
        container.setMessageListener(listener);

        assertThatThrownBy(() -> advice.addTo(container))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a batch has no single stamp");
    }

    /** A batch that were requeued would come again at once, without end. */
    @Test
    @Timeout(120)
    void whatComesInABatchIsADeadLetter() {
        CachingConnectionFactory connections = new CachingConnectionFactory("127.0.0.1", Rabbit.port());
        RabbitAdmin admin = new RabbitAdmin(connections);
        admin.declareQueue(new Queue("batches.dead", false));
        admin.declareQueue(new Queue(
                "batches",
                false,
                false,
                false,
                Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "batches.dead")));
        RabbitTemplate template = new RabbitTemplate(connections);
        SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(connections);
        container.setQueueNames("batches");
        container.setConsumerBatchEnabled(true);
        container.setMessageListener(BATCHES);
        container.setAdviceChain(advice);
        template.convertAndSend("batches", "one");
        template.convertAndSend("batches", "two");

        container.start();
        try {
            assertThat(template.receiveAndConvert("batches.dead", 60_000)).isEqualTo("one");
            assertThat(template.receiveAndConvert("batches.dead", 60_000)).isEqualTo("two");
        } finally {
            container.stop();
            connections.destroy();
        }
    }
}
