package io.fenceline.kafka;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.payments.PaymentDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real broker and a real database; stamps go through Kafka's record headers. */
class PaymentConsumerTest {

    private static final String TOPIC = "payments";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final Duration WAIT = Duration.ofMillis(200);

    private final PaymentDatabase database = new PaymentDatabase();
    private final JdbcFenceGuard guard =
            JdbcFenceGuard.on(database.source, GuardOptions.defaults().withRule(FenceRule.ONCE));
    private final List<String> refused = new ArrayList<>();

    @TempDir
    Path folder;

    @Test
    @Timeout(120)
    @Tag("R1")
    @Tag("R3")
    void booksNothingOfASupersededSenderAndNothingTwice() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(folder, TOPIC);
                KafkaProducer<String, String> producer =
                        new KafkaProducer<>(broker.clientSettings(), new StringSerializer(), new StringSerializer());
                KafkaConsumer<String, String> kafka = consumer(broker)) {
            PaymentConsumer payments = new PaymentConsumer(guard, (record, why) -> refused.add(record.value()));

            send(producer, 34, "of the new holder");
            send(producer, 33, "of the old holder");
            send(producer, 35, "of the next holder");
            handle(payments, kafka, 3);
            assertThat(database.bookings()).containsExactly("of the new holder", "of the next holder");
            assertThat(refused).containsExactly("of the old holder");

            // as if the process had ended between the database's commit and Kafka's
            kafka.seekToBeginning(List.of(PARTITION));
            handle(payments, kafka, 3);
            assertThat(database.bookings()).containsExactly("of the new holder", "of the next holder");
            assertThat(refused)
                    .containsExactly(
                            "of the old holder", "of the new holder", "of the old holder", "of the next holder");

            // the effect fails: the fence is not raised, no offset is committed, and the record comes again
            send(producer, 36, "broken");
            assertThat(failure(payments, kafka)).hasMessageContaining("check constraint");
            assertThat(guard.highest("invoice:42")).contains(stamp(35));
            assertThat(committed(kafka)).isEqualTo(3);
        }
    }

    private static KafkaConsumer<String, String> consumer(KafkaBroker broker) {
        Properties settings = broker.clientSettings();
        settings.put("group.id", "bookkeeping");
        settings.put("enable.auto.commit", "false");
        KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.assign(List.of(PARTITION));
        consumer.seekToBeginning(List.of(PARTITION));
        return consumer;
    }

    private static void send(KafkaProducer<String, String> producer, long token, String amount) throws Exception {
        producer.send(StampedRecords.stamp(new ProducerRecord<>(TOPIC, "invoice:42", amount), stamp(token)))
                .get();
    }

    private static void handle(PaymentConsumer payments, KafkaConsumer<String, String> kafka, long upTo)
            throws Exception {
        do {
            payments.handleNext(kafka, WAIT);
        } while (kafka.position(PARTITION) < upTo);
    }

    /** Polls until a record has come whose handling fails. */
    private static Exception failure(PaymentConsumer payments, KafkaConsumer<String, String> kafka) {
        while (true) {
            try {
                payments.handleNext(kafka, WAIT);
            } catch (Exception e) {
                return e;
            }
        }
    }

    private static long committed(KafkaConsumer<String, String> kafka) {
        OffsetAndMetadata committed = kafka.committed(Set.of(PARTITION)).get(PARTITION);
        return committed.offset();
    }
}
