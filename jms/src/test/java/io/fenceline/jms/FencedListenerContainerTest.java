package io.fenceline.jms;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.spring.TransactionFences;
import io.fenceline.spring.payments.PaymentBooks;
import io.fenceline.spring.payments.PaymentDatabase;
import io.fenceline.spring.payments.PaymentTransactions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A transactional listener of Spring JMS, on a real broker and PostgreSQL. */
@Timeout(120)
class FencedListenerContainerTest {

    @ParameterizedTest(name = "messages with ids: {0}")
    @ValueSource(booleans = {true, false})
    void whatIsRefusedChangesNothingIsNotDeliveredAgainAndIsKept(boolean ids) throws Exception {
        try (Artemis artemis = new Artemis();
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(Artemis.class, () -> artemis, definition -> definition.setDestroyMethodName(""));
            context.register(Bookkeeping.class);
            context.refresh();
            PaymentDatabase database = context.getBean(PaymentDatabase.class);
            JmsTemplate template = context.getBean(JmsTemplate.class);
            template.setMessageIdEnabled(ids);
            database.guard.claim("other", stamp(37));

            template.convertAndSend("payments", "of 34", message -> StampedMessages.stamp(message, stamp(34)));
            template.convertAndSend("payments", "of 33", message -> StampedMessages.stamp(message, stamp(33)));
            template.convertAndSend("payments", "of nobody");
            template.convertAndSend(
                    "payments", "overtaken by 36", message -> StampedMessages.stamp(message, stamp(35)));
            template.convertAndSend("payments", "failing once, of 36", m -> StampedMessages.stamp(m, stamp(36)));
            template.convertAndSend(
                    "payments", "elsewhere, of 36", message -> StampedMessages.stamp(message, stamp(36)));

            for (String expected : List.of("of 33", "of nobody", "overtaken by 36")) {
                assertThat(template.receiveAndConvert("payments.refused")).isEqualTo(expected);
            }
            String last = ids ? "payments.refused" : "dead"; // what the container remembers, it knows by its id
            assertThat(template.receiveAndConvert(last)).isEqualTo("elsewhere, of 36");
            await().untilAsserted(
                            () -> assertThat(database.bookings()).containsExactly("of 34", "failing once, of 36"));
            context.getBean(JmsListenerEndpointRegistry.class).stop();
            assertThat(context.getBean(PaymentBooks.class).called())
                    .startsWith("of 34", "overtaken by 36", "failing once, of 36", "failing once, of 36")
                    .endsWith("elsewhere, of 36")
                    .hasSize(ids ? 5 : 7);
            template.setReceiveTimeout(JmsTemplate.RECEIVE_TIMEOUT_NO_WAIT);
            assertThat(template.receiveAndConvert("payments.booked")).isEqualTo("of 34");
            assertThat(template.receiveAndConvert("payments.booked")).isEqualTo("failing once, of 36");
            assertThat(template.receive("payments.booked")).isNull();
            assertThat(template.receive("payments")).isNull();
            assertThat(template.receive("dead")).isNull();
        }
    }

    /** Its broker does not deliver a message again whose listener failed. */
    @Test
    void whatIsRefusedInASessionWithoutTransactionsIsKeptAtOnce() throws Exception {
        try (Artemis artemis = new Artemis();
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(Artemis.class, () -> artemis, definition -> definition.setDestroyMethodName(""));
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("test", Map.of("transacted", "false")));
            context.register(Bookkeeping.class);
            context.refresh();
            JmsTemplate template = context.getBean(JmsTemplate.class);

            template.convertAndSend(
                    "payments", "overtaken by 36", message -> StampedMessages.stamp(message, stamp(35)));

            assertThat(template.receiveAndConvert("payments.refused")).isEqualTo("overtaken by 36");
            assertThat(context.getBean(PaymentDatabase.class).bookings()).isEmpty();
        }
    }

    static class Listener {

        private final PaymentBooks books;
        private final JmsTemplate template;
        private final TransactionFences fences;

        Listener(PaymentBooks books, JmsTemplate template, TransactionFences fences) {
            this.books = books;
            this.template = template;
            this.fences = fences;
        }

        @JmsListener(destination = "payments")
        @Transactional
        public void book(String amount) {
            template.convertAndSend("payments.booked", amount);
            books.book(amount);
            if (amount.startsWith("elsewhere")) {
                fences.enter("other");
            }
        }
    }

    @Configuration
    @EnableJms
    @Import(PaymentTransactions.class)
    static class Bookkeeping {

        @Bean
        PaymentDatabase database() {
            return new PaymentDatabase();
        }

        @Bean
        Listener listener(PaymentBooks books, JmsTemplate template, TransactionFences fences) {
            return new Listener(books, template, fences);
        }

        @Bean
        JmsTemplate template(Artemis artemis) {
            return new JmsTemplate(artemis.connections);
        }

        @Bean
        DefaultJmsListenerContainerFactory jmsListenerContainerFactory(
                Artemis artemis, PaymentDatabase database, JmsTemplate template, Environment environment) {
            boolean transacted = environment.getProperty("transacted", Boolean.class, true);
            Set<String> asked = ConcurrentHashMap.newKeySet();
            DefaultJmsListenerContainerFactory factory =
                    FencedListenerContainer.factory(database.guard, message -> "invoice/42", (message, why) -> {
                        if (asked.add(message.getBody(String.class)) && transacted) {
                            throw new IOException("the first attempt to keep it fails");
                        }
                        template.send("payments.refused", session -> message);
                    });
            factory.setConnectionFactory(artemis.connections);
            factory.setSessionTransacted(transacted);
            return factory;
        }
    }
}
