package io.fenceline.jms;

import static io.fenceline.jms.TestDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.spring.TransactionFences;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** A transactional listener of Spring JMS, on a real broker and PostgreSQL. */
@Timeout(120)
class FencedListenerContainerTest {

    @Test
    void whatIsRefusedChangesNothingIsNotDeliveredAgainAndIsKept() throws Exception {
        try (Artemis artemis = new Artemis();
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(Artemis.class, () -> artemis, definition -> definition.setDestroyMethodName(""));
            context.register(Bookkeeping.class);
            context.refresh();
            TestDatabase database = context.getBean(TestDatabase.class);
            JmsTemplate template = context.getBean(JmsTemplate.class);

            template.convertAndSend("payments", "of 34", message -> StampedMessages.stamp(message, stamp(34)));
            template.convertAndSend("payments", "of 33", message -> StampedMessages.stamp(message, stamp(33)));
            template.convertAndSend("payments", "of nobody");
            template.convertAndSend(
                    "payments", "overtaken by 36", message -> StampedMessages.stamp(message, stamp(35)));
            template.convertAndSend("payments", "failing once, of 36", m -> StampedMessages.stamp(m, stamp(36)));

            for (String expected : List.of("of 33", "of nobody", "overtaken by 36")) {
                assertThat(template.receiveAndConvert("payments.refused")).isEqualTo(expected);
            }
            await().untilAsserted(
                            () -> assertThat(database.bookings()).containsExactly("of 34", "failing once, of 36"));
            context.getBean(JmsListenerEndpointRegistry.class).stop();
            assertThat(context.getBean(Listener.class).called())
                    .containsExactly("of 34", "overtaken by 36", "failing once, of 36", "failing once, of 36");
            template.setReceiveTimeout(JmsTemplate.RECEIVE_TIMEOUT_NO_WAIT);
            assertThat(template.receive("payments")).isNull();
            assertThat(template.receive("dead")).isNull();
        }
    }

    static class Listener {

        private final List<String> called = new CopyOnWriteArrayList<>();
        private final TestDatabase database;

        Listener(TestDatabase database) {
            this.database = database;
        }

        public List<String> called() {
            return called;
        }

        @JmsListener(destination = "payments")
        @Transactional
        public void book(String amount) {
            called.add(amount);
            database.book(amount);
            if (amount.startsWith("overtaken")) {
                database.guard.claim("invoice/42", stamp(36)); // on a connection of its own
            }
            if (amount.startsWith("failing once") && called.size() == 3) {
                throw new IllegalStateException("failing once");
            }
        }
    }

    @Configuration
    @EnableJms
    @EnableTransactionManagement
    static class Bookkeeping {

        @Bean
        TestDatabase database() {
            return new TestDatabase();
        }

        @Bean
        JdbcTransactionManager transactionManager(TestDatabase database) {
            return new JdbcTransactionManager(database.source);
        }

        @Bean
        TransactionFences fences(TestDatabase database) {
            return TransactionFences.of(database.guard, database.source);
        }

        @Bean
        Listener listener(TestDatabase database) {
            return new Listener(database);
        }

        @Bean
        JmsTemplate template(Artemis artemis) {
            return new JmsTemplate(artemis.connections);
        }

        @Bean
        DefaultJmsListenerContainerFactory jmsListenerContainerFactory(
                Artemis artemis, TestDatabase database, JmsTemplate template) {
            DefaultJmsListenerContainerFactory factory = FencedListenerContainer.factory(
                    database.guard,
                    message -> "invoice/42",
                    (message, why) -> template.send("payments.refused", session -> message));
            factory.setConnectionFactory(artemis.connections);
            factory.setSessionTransacted(true);
            return factory;
        }
    }
}
