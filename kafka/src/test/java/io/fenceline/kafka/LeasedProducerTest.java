package io.fenceline.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.spring.payments.PaymentDatabase;
import io.fenceline.testkit.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Producers of two holders, one of which is stopped at the worst moments, on a real broker. */
@Timeout(120)
class LeasedProducerTest {

    private static final Duration TTL = Duration.ofSeconds(10);
    private static final LockOptions OPTIONS =
            LockOptions.defaults().withTtl(TTL).withoutRenewal();

    @TempDir
    static Path folder;

    static KafkaBroker broker;

    private final ManualTime time = new ManualTime();
    private final MemoryLockBackend store = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    private final List<Locks> processes = new ArrayList<>();
    private final String topic = "payments-" + System.identityHashCode(this);

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start(folder);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @AfterEach
    void close() {
        processes.forEach(Locks::close);
        store.close();
    }

    @Test
    void aNewHoldersProducerAbortsWhatTheEarlierOneLeftOpen() throws Exception {
        Lease first = lease();
        LeasedProducer<String, String> stopped = open(first);
        try {
            assertThatThrownBy(() -> stopped.transaction(out -> {
                        out.accept(record("of 1"));
                        time.advance(TTL.multipliedBy(2));
                        LeasedProducer<String, String> taken = open(lease());
                        taken.transaction(to -> to.accept(record("of 2")));
                        taken.close();
                    }))
                    .isInstanceOf(LeaseLostException.class);
        } finally {
            stopped.close();
        }

        assertThat(committed(1)).containsExactly("of 2 under 2");
    }

    @Test
    void aTransactionThatFailsIsAborted() throws Exception {
        try (Lease lease = lease();
                LeasedProducer<String, String> producer = open(lease)) {
            assertThatThrownBy(() -> producer.transaction(out -> {
                        out.accept(record("half"));
                        throw new java.io.IOException("no more");
                    }))
                    .isInstanceOf(java.io.IOException.class)
                    .hasNoSuppressedExceptions();
            assertThatThrownBy(() -> producer.transaction(out -> {
                        out.accept(record("half of another"));
                        throw new AssertionError("no");
                    }))
                    .isInstanceOf(AssertionError.class)
                    .hasNoSuppressedExceptions();
            producer.transaction(out -> {
                out.accept(record("all"));
                out.accept(record("of it"));
            });
            assertThat(lease.isHeld()).isTrue();
        }

        assertThat(committed(2)).containsExactly("all under 1", "of it under 1");
    }

    /** Kafka lets the late holder in and fences the rightful one. */
    @Test
    void aHolderThatWakesUpWithinItsOpeningSendsNothingAndTheRightfulOneWorksOn() throws Exception {
        Lease late = lease();
        List<LeasedProducer<String, String>> rightful = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();

        assertThatThrownBy(() -> LeasedProducer.open(
                        late, broker.producerSettings(), settings -> new KafkaProducer<String, String>(settings) {
                            @Override
                            public void initTransactions() {
                                time.advance(TTL.multipliedBy(2)); // stopped here
                                leases.add(lease());
                                rightful.add(open(leases.get(0)));
                                LeasedProducerTest.this.send(rightful.get(0), "before");
                                super.initTransactions();
                            }
                        }))
                .isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> send(rightful.get(0), "fenced"))
                .isInstanceOf(ProducerFencedException.class)
                .hasMessageContaining("fenceline:invoice:42")
                .hasMessageContaining("token 000000000000002");
        assertThat(leases.get(0).isHeld()).isFalse();
        try (Lease again = lease();
                LeasedProducer<String, String> producer = open(again)) {
            send(producer, "again");
        }

        assertThat(committed(2)).containsExactly("before under 2", "again under 3");
    }

    @Test
    void aLeaseThatIsLostWhileRecordsAreFlushedCommitsNothing() throws Exception {
        try (LeasedProducer<String, String> slow =
                LeasedProducer.open(lease(), broker.producerSettings(), all -> new KafkaProducer<String, String>(all) {
                    @Override
                    public void flush() {
                        super.flush();
                        time.advance(TTL.multipliedBy(2));
                    }
                })) {
            assertThatThrownBy(() -> send(slow, "late")).isInstanceOf(LeaseLostException.class);
        }
        try (LeasedProducer<String, String> next = open(lease())) {
            send(next, "next");
        }

        assertThat(committed(1)).containsExactly("next under 2");
    }

    /** Kafka aborts it then, and fences its producer as if another one had been opened. */
    @ParameterizedTest
    @CsvSource({"0, true, longer than transaction.timeout.ms", "60000, false, by a late holder"})
    void aTransactionThatTookTooLongLeavesTheLease(String timeout, boolean held, String words) {
        Lease lease = lease();
        MockProducer<String, String> kafka =
                new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
        LeasedProducer<String, String> producer =
                LeasedProducer.open(lease, Map.of("transaction.timeout.ms", timeout), all -> kafka);

        assertThatThrownBy(() -> producer.transaction(out -> kafka.fenceProducer()))
                .isInstanceOf(ProducerFencedException.class)
                .hasMessageContaining(words);

        assertThat(lease.isHeld()).isEqualTo(held);
    }

    /** A late holder that checks nothing: what the consumer's guard is for. */
    @Test
    void whatALateHolderSendsAllTheSameChangesNothing() throws Exception {
        PaymentDatabase database = new PaymentDatabase();
        Map<String, Object> settings = new HashMap<>(broker.producerSettings());
        settings.put("transactional.id", "fenceline:invoice:42");
        Lease first = lease();
        time.advance(TTL.multipliedBy(2));
        try (LeasedProducer<String, String> rightful = open(lease());
                Producer<String, String> late = new KafkaProducer<>(settings)) {
            send(rightful, "of 2");
            late.initTransactions();
            late.beginTransaction();
            late.send(StampedRecords.stamp(record("late"), first.stamp()));
            late.commitTransaction();
            assertThatThrownBy(() -> send(rightful, "fenced")).isInstanceOf(ProducerFencedException.class);
        }
        try (LeasedProducer<String, String> again = open(lease())) {
            send(again, "of 3");
        }
        List<String> refused = new ArrayList<>();
        PaymentConsumer payments = new PaymentConsumer(database.guard, (record, why) -> refused.add(record.value()));

        for (ConsumerRecord<String, String> record : records(3)) {
            payments.handle(record);
        }

        assertThat(refused).containsExactly("late");
        assertThat(database.bookings()).containsExactly("of 2", "of 3");
    }

    @Test
    void aLeaseThatEndsWithinTheTransactionCommitsNothing() throws Exception {
        LeasedProducer<String, String> producer = open(lease());
        try (producer) {
            assertThatThrownBy(() -> producer.transaction(out -> {
                        out.accept(record("late"));
                        time.advance(TTL.multipliedBy(2));
                    }))
                    .isInstanceOf(LeaseLostException.class);
        }

        committed(0);
    }

    @Test
    void aLostOrReleasedLeaseOpensNothingAndDisturbsNobody() throws Exception {
        Lease lost = lease();
        time.advance(TTL.multipliedBy(2));
        Lease released = lease();
        released.close();
        try (LeasedProducer<String, String> rightful = open(lease())) {
            assertThatThrownBy(() -> open(lost)).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(() -> open(released)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> LeasedProducer.open(
                            lost, Map.of("transactional.id", "mine"), settings -> new KafkaProducer<>(settings)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("transactional.id");
            send(rightful, "undisturbed");
        }

        assertThat(committed(1)).containsExactly("undisturbed under 3");
    }

    /** Takes the lock as another process does. */
    private Lease lease() {
        Locks locks = Locks.builder(store).time(time.source()).withoutThread().build();
        processes.add(locks);
        return locks.tryAcquire("invoice:42", OPTIONS).orElseThrow();
    }

    private static LeasedProducer<String, String> open(Lease lease) {
        return LeasedProducer.open(lease, broker.producerSettings(), settings -> new KafkaProducer<>(settings));
    }

    private void send(LeasedProducer<String, String> producer, String value) {
        producer.transaction(out -> out.accept(record(value)));
    }

    private ProducerRecord<String, String> record(String value) {
        return new ProducerRecord<>(topic, "invoice/42", value);
    }

    private List<String> committed(int count) {
        return records(count).stream()
                .map(record -> record.value() + " under "
                        + StampedRecords.read(record.headers())
                                .orElseThrow()
                                .token()
                                .value())
                .toList();
    }

    /** Reads to the end, and expects no more than that. */
    private List<ConsumerRecord<String, String>> records(int count) {
        List<ConsumerRecord<String, String>> all = new ArrayList<>();
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(broker.consumerSettings("reader"))) {
            consumer.assign(Set.of(partition));
            consumer.seekToBeginning(Set.of(partition));
            long end = consumer.endOffsets(Set.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(all::add);
            }
        }
        assertThat(all).hasSize(count);
        return all;
    }
}
