package io.fenceline.kafka;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedMessages;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.payments.PaymentBooks;
import io.fenceline.spring.payments.PaymentDatabase;
import io.fenceline.spring.payments.PaymentTransactions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.ShareKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.DefaultShareConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.backoff.FixedBackOff;

/** A transactional listener of spring-kafka, on a real broker and PostgreSQL. */
class FencedRecordAdviceTest {

    private static final TopicPartition PAYMENTS = new TopicPartition("payments", 0);
    private static final TopicPartition BOOKED = new TopicPartition("payments.booked", 0);
    private static final TopicPartition REFUSED = new TopicPartition("payments.refused", 0);

    @TempDir
    Path folder;

    @ParameterizedTest(name = "in transactions of Kafka: {0}")
    @ValueSource(booleans = {false, true})
    @Timeout(180)
    void whatIsRefusedChangesNothingIsNotDeliveredAgainAndIsKept(boolean transactional) throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(folder, PAYMENTS.topic(), REFUSED.topic(), BOOKED.topic());
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            DefaultKafkaProducerFactory<String, String> producers =
                    new DefaultKafkaProducerFactory<>(broker.producerSettings());
            if (transactional) {
                producers.setTransactionIdPrefix("tx-");
            }
            context.registerBean(KafkaBroker.class, () -> broker, definition -> definition.setDestroyMethodName(""));
            context.registerBean(DefaultKafkaProducerFactory.class, () -> producers);
            context.register(Bookkeeping.class);
            context.refresh();
            PaymentDatabase database = context.getBean(PaymentDatabase.class);
            KafkaTemplate<String, String> template =
                    new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(broker.producerSettings()));

            template.send(StampedRecords.stamp(record("of 34"), stamp(34))).get();
            template.send(StampedRecords.stamp(record("of 33"), stamp(33))).get();
            template.send(record("of nobody")).get();
            template.send(StampedRecords.stamp(record("overtaken by 36"), stamp(35)))
                    .get();
            template.send(StampedRecords.stamp(record("failing once, of 36"), stamp(36)))
                    .get();

            try (KafkaConsumer<String, String> operator = new KafkaConsumer<>(broker.consumerSettings("operator"))) {
                operator.assign(Set.of(REFUSED));
                assertThat(next(operator, 3)).containsExactly("of 33", "of nobody", "overtaken by 36");
            }
            try (KafkaConsumer<String, String> group = new KafkaConsumer<>(broker.consumerSettings("bookkeeping"))) {
                await().untilAsserted(() -> assertThat(
                                group.committed(Set.of(PAYMENTS)).get(PAYMENTS))
                        .extracting("offset")
                        .isEqualTo(5L));
            }
            context.getBean(KafkaListenerEndpointRegistry.class).stop();
            assertThat(database.bookings()).containsExactly("of 34", "failing once, of 36");
            if (transactional) {
                try (KafkaConsumer<String, String> mailer = new KafkaConsumer<>(broker.consumerSettings("mailer"))) {
                    mailer.assign(Set.of(BOOKED));
                    assertThat(next(mailer, 2)).containsExactly("of 34", "failing once, of 36");
                }
            }
            assertThat(context.getBean(PaymentBooks.class).called())
                    .containsExactly("of 34", "overtaken by 36", "failing once, of 36", "failing once, of 36");
        }
    }

    /** When a batch comes, the error handler would drop it after some attempts. */
    @Test
    @Timeout(180)
    void aContainerOfABatchListenerDoesNotStart() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(folder, PAYMENTS.topic())) {
            ContainerProperties properties = new ContainerProperties(PAYMENTS.topic());
            properties.setGroupId("batches");
            properties.setAdviceChain(FencedRecordAdvice.by(
                    JdbcFenceGuard.on(new PGSimpleDataSource()), record -> "invoice/42", RefusedMessages.dropped()));
            properties.setMessageListener((BatchMessageListener<String, String>) records -> {
                throw new AssertionError("the listener was called");
            });
            KafkaMessageListenerContainer<String, String> container = new KafkaMessageListenerContainer<>(
                    new DefaultKafkaConsumerFactory<>(Map.copyOf(broker.consumerSettings(""))), properties);

            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a batch has no single stamp");
        }
    }

    @Test
    void deadLettersPassIfTheyAreToldApart() {
        List<String> handled = new ArrayList<>();
        FencedRecordAdvice advice = FencedRecordAdvice.by(
                        JdbcFenceGuard.on(new PGSimpleDataSource()), record -> "invoice/42", RefusedMessages.thrown())
                .withoutTopics("payments-dlt")
                .withoutTopics("orders-dlt");
        ProxyFactory advised = new ProxyFactory(MessageListener.class, advice);
        advised.setTarget((MessageListener<String, String>) record -> handled.add(record.topic()));
        @SuppressWarnings("unchecked") // a proxy of that interface
        MessageListener<String, String> listener = (MessageListener<String, String>) advised.getProxy();

        listener.onMessage(new ConsumerRecord<>("payments-dlt", 0, 0, "invoice/42", "of nobody"));
        listener.onMessage(new ConsumerRecord<>("orders-dlt", 0, 0, "invoice/42", "of nobody"));
        assertThatThrownBy(() -> listener.onMessage(new ConsumerRecord<>("payments", 0, 0, "invoice/42", "of nobody")))
                .isInstanceOf(MissingTokenException.class);

        assertThat(handled).containsExactly("payments-dlt", "orders-dlt");
    }

    @Test
    void factoriesOfEachKindGetTheAdviceOrAreRefused() {
        FencedRecordAdvice advice = FencedRecordAdvice.by(
                JdbcFenceGuard.on(new PGSimpleDataSource()), record -> "invoice/42", RefusedMessages.thrown());
        BeanPostProcessor all = FencedRecordAdvice.forAllFactories(() -> advice);
        ShareKafkaListenerContainerFactory<String, String> ofShares =
                new ShareKafkaListenerContainerFactory<>(new DefaultShareConsumerFactory<>(Map.of()));

        MethodInterceptor other = MethodInvocation::proceed;
        ofShares.getContainerProperties().setAdviceChain(other);

        all.postProcessAfterInitialization(ofShares, "ofShares");

        assertThat(ofShares.getContainerProperties().getAdviceChain()).containsExactly(advice, other);
        assertThatThrownBy(() -> all.postProcessAfterInitialization(
                        ProxyFactory.getProxy(KafkaListenerContainerFactory.class, (MethodInterceptor) call -> null),
                        "mine"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'mine' takes no advice");
    }

    private static ProducerRecord<String, String> record(String amount) {
        return new ProducerRecord<>(PAYMENTS.topic(), "invoice/42", amount);
    }

    private static List<String> next(KafkaConsumer<String, String> consumer, int count) {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
        }
        return values;
    }

    static class Listener {

        private final PaymentBooks books;
        private final KafkaTemplate<String, String> template;

        Listener(PaymentBooks books, KafkaTemplate<String, String> template) {
            this.books = books;
            this.template = template;
        }

        @KafkaListener(topics = "payments", groupId = "bookkeeping")
        @Transactional
        public void book(ConsumerRecord<String, String> record) {
            if (template.inTransaction()) {
                template.send(BOOKED.topic(), record.value());
            }
            books.book(record.value());
        }
    }

    @Configuration
    @EnableKafka
    @Import(PaymentTransactions.class)
    static class Bookkeeping {

        @Bean
        PaymentDatabase database() {
            return new PaymentDatabase();
        }

        @Bean
        Listener listener(PaymentBooks books, KafkaTemplate<String, String> template) {
            return new Listener(books, template);
        }

        @Bean
        KafkaTemplate<String, String> template(DefaultKafkaProducerFactory<String, String> producers) {
            return new KafkaTemplate<>(producers);
        }

        @Bean
        static BeanPostProcessor fencedRecords(ObjectProvider<PaymentDatabase> database) {
            return FencedRecordAdvice.forAllFactories(() -> FencedRecordAdvice.by(
                    database.getObject().guard, record -> (String) record.key(), RefusedMessages.thrown()));
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
                KafkaBroker broker, KafkaTemplate<String, String> template) {
            DefaultErrorHandler errors = new DefaultErrorHandler(
                    new DeadLetterPublishingRecoverer(template, (record, why) -> REFUSED), new FixedBackOff(0, 2));
            errors.addNotRetryableExceptions(RefusedWriteException.class, MalformedStampException.class);
            ConcurrentKafkaListenerContainerFactory<String, String> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.copyOf(broker.consumerSettings(""))));
            factory.setCommonErrorHandler(errors);
            if (template.isTransactional()) {
                factory.getContainerProperties()
                        .setKafkaAwareTransactionManager(new KafkaTransactionManager<>(template.getProducerFactory()));
            }
            return factory;
        }
    }
}
