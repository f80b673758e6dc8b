package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Message;
import org.springframework.aop.framework.ProxyFactory;

class PassingQueuesTest {

    @Test
    void deadLettersPassIfTheyAreToldApart() {
        List<String> handled = new ArrayList<>();
        ProxyFactory advised = new ProxyFactory((BiConsumer<Object, Message>)
                (channel, message) -> handled.add(message.getMessageProperties().getConsumerQueue()));
        advised.addAdvice(FencedMessageAdvice.by(JdbcFenceGuard.on(new PGSimpleDataSource()), message -> "invoice/42")
                .withoutQueues("payments.refused")
                .withoutQueues("orders.refused"));
        @SuppressWarnings("unchecked") // a proxy of that interface
        BiConsumer<Object, Message> container = (BiConsumer<Object, Message>) advised.getProxy();

        container.accept("channel", of("payments.refused"));
        container.accept("channel", of("orders.refused"));
        assertThatThrownBy(() -> container.accept("channel", of("payments")))
                .isInstanceOf(AmqpRejectAndDontRequeueException.class);

        assertThat(handled).containsExactly("payments.refused", "orders.refused");
    }

    /** As a container of several queues makes them. */
    @Test
    void aBatchPassesIfAllOfItsMessagesDo() {
        List<Object> handled = new ArrayList<>();
        ProxyFactory advised =
                new ProxyFactory((BiConsumer<Object, List<Message>>) (channel, batch) -> handled.add(batch));
        advised.addAdvice(FencedMessageAdvice.by(JdbcFenceGuard.on(new PGSimpleDataSource()), message -> "invoice/42")
                .withoutQueues("payments.refused"));
        @SuppressWarnings("unchecked") // a proxy of that interface
        BiConsumer<Object, List<Message>> container = (BiConsumer<Object, List<Message>>) advised.getProxy();
        List<Message> letters = List.of(of("payments.refused"), of("payments.refused"));

        container.accept("channel", letters);
        assertThatThrownBy(() -> container.accept("channel", List.of(of("payments.refused"), of("payments"))))
                .isInstanceOf(AmqpRejectAndDontRequeueException.class);

        assertThat(handled).containsExactly(letters);
    }

    private static Message of(String queue) {
        Message message = new Message(new byte[0]);
        message.getMessageProperties().setConsumerQueue(queue);
        return message;
    }
}
