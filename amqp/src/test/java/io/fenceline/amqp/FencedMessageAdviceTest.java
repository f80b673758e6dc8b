package io.fenceline.amqp;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.guard.RefusedMessages;
import io.fenceline.spring.payments.PaymentBooks;
import io.fenceline.spring.payments.PaymentDatabase;
import io.fenceline.spring.payments.PaymentTransactions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/** A transactional listener of Spring AMQP, on a real RabbitMQ and PostgreSQL. */
@Timeout(180)
class FencedMessageAdviceTest {

    private static final String BOOKED = "payments.booked";
    private static final String REFUSED = "payments.refused";

    private int port;
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    @BeforeEach
    void findBroker() {
        port = Rabbit.port();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void whatIsRefusedChangesNothingAndIsADeadLetterAtOnce() {
        RabbitTemplate template = start(RefusedMessages.thrown());

        sendAll(template);

        List<String> dead = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Message message = template.receive(REFUSED, 30_000);
            assertThat(message).isNotNull();
            dead.add(new String(message.getBody()));
        }
        assertThat(dead).containsExactly("of 33", "of nobody", "overtaken by 36");
        assertHandled(template);
    }

    @Test
    void whatIsRefusedIsADeadLetterAlsoWhereListenersAcknowledge() {
        RabbitTemplate template = start(RefusedMessages.thrown());
        context.getBean(PaymentDatabase.class).guard.claim("invoice/42", stamp(34));

        template.convertAndSend("acknowledged", (Object) "of 33", new StampingPostProcessor(stamp(33)));

        assertThat(template.receive(REFUSED, 30_000)).isNotNull();
    }

    @Test
    void whatIsRefusedCountsAsHandledIfTheOutcomeSaysSo() {
        List<String> kept = new CopyOnWriteArrayList<>();
        RabbitTemplate template = start((message, why) ->
                kept.add(new String(message.getBody()) + ": " + why.getClass().getSimpleName()));

        sendAll(template);

        assertHandled(template);
        assertThat(kept)
                .containsExactly(
                        "of 33: StaleTokenException",
                        "of nobody: MissingTokenException",
                        "overtaken by 36: StaleTokenException");
        assertThat(template.receive(REFUSED)).isNull();
    }

    private RabbitTemplate start(RefusedMessages<Message> refused) {
        CachingConnectionFactory connections = new CachingConnectionFactory("127.0.0.1", port);
        RabbitAdmin admin = new RabbitAdmin(connections);
        admin.deleteQueue("payments");
        admin.deleteQueue("acknowledged");
        admin.deleteQueue(BOOKED);
        admin.deleteQueue(REFUSED);
        PaymentDatabase database = new PaymentDatabase();
        context.registerBean(CachingConnectionFactory.class, () -> connections);
        context.registerBean(RabbitAdmin.class, () -> admin);
        context.registerBean(PaymentDatabase.class, () -> database);
        context.registerBean(
                FencedMessageAdvice.class,
                () -> FencedMessageAdvice.by(database.guard, message -> "invoice/42", refused));
        context.register(Bookkeeping.class);
        context.refresh();
        return new RabbitTemplate(connections);
    }

    private static void sendAll(RabbitTemplate template) {
        template.convertAndSend("payments", (Object) "of 34", new StampingPostProcessor(stamp(34)));
        template.convertAndSend("payments", (Object) "of 33", new StampingPostProcessor(stamp(33)));
        template.convertAndSend("payments", (Object) "of nobody");
        template.convertAndSend("payments", (Object) "overtaken by 36", new StampingPostProcessor(stamp(35)));
        template.convertAndSend("payments", (Object) "failing once, of 36", new StampingPostProcessor(stamp(36)));
    }

    private void assertHandled(RabbitTemplate template) {
        PaymentDatabase database = context.getBean(PaymentDatabase.class);
        await().untilAsserted(() -> assertThat(database.bookings()).containsExactly("of 34", "failing once, of 36"));
        context.getBean(RabbitListenerEndpointRegistry.class).stop();
        assertThat(template.receive("payments")).isNull();
        assertThat(template.receiveAndConvert(BOOKED)).isEqualTo("of 34");
        assertThat(template.receiveAndConvert(BOOKED)).isEqualTo("failing once, of 36");
        assertThat(template.receive(BOOKED)).isNull();
        assertThat(context.getBean(PaymentBooks.class).called())
                .containsExactly("of 34", "overtaken by 36", "failing once, of 36", "failing once, of 36");
    }

    static class Listener {

        private final PaymentBooks books;
        private final RabbitTemplate template;

        Listener(PaymentBooks books, RabbitTemplate template) {
            this.books = books;
            this.template = template;
        }

        @RabbitListener(queues = "payments")
        @Transactional
        public void book(String amount) {
            template.convertAndSend(BOOKED, (Object) amount);
            books.book(amount);
        }

        @RabbitListener(queues = "acknowledged", ackMode = "MANUAL")
        @Transactional
        public void acknowledge(String amount) {
            throw new AssertionError("it is refused before");
        }
    }

    @Configuration
    @EnableRabbit
    @Import(PaymentTransactions.class)
    static class Bookkeeping {

        @Bean
        Queue payments() {
            return QueueBuilder.durable("payments")
                    .deadLetterExchange("")
                    .deadLetterRoutingKey(REFUSED)
                    .build();
        }

        @Bean
        Queue acknowledged() {
            return QueueBuilder.durable("acknowledged")
                    .deadLetterExchange("")
                    .deadLetterRoutingKey(REFUSED)
                    .build();
        }

        @Bean
        Queue booked() {
            return QueueBuilder.durable(BOOKED).build();
        }

        @Bean
        Queue refused() {
            return QueueBuilder.durable(REFUSED).build();
        }

        @Bean
        Listener listener(PaymentBooks books, CachingConnectionFactory connections) {
            RabbitTemplate template = new RabbitTemplate(connections);
            template.setChannelTransacted(true);
            return new Listener(books, template);
        }

        @Bean
        static BeanPostProcessor fencedMessages(ObjectProvider<FencedMessageAdvice> advice) {
            return FencedMessageAdvice.forAllFactories(advice::getObject);
        }

        @Bean
        SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory(CachingConnectionFactory connections) {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setConnectionFactory(connections);
            factory.setChannelTransacted(true);
            return factory;
        }
    }
}
