package io.fenceline.kafka;

import static java.util.Objects.requireNonNull;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

/**
 * A transactional producer for the holder of a lease. All holders of a lock have the same {@code transactional.id}, {@code fenceline:} and
 * the lock key; so when a new holder opens its producer, Kafka aborts the transaction that an earlier one left open and refuses that
 * one's further records. Every record carries the lease's stamp.
 *
 * <p><em>This guards nothing by itself.</em> Kafka orders producers by their last {@code initTransactions}, not by tokens. A holder that
 * was stopped before that call and goes on after its lease has ended is taken for the newest: it could write, and Kafka refuses the
 * records of the rightful holder. This class therefore checks the lease before and after the call and before each commit, so a late
 * holder commits nothing unless it is stopped again between check and commit. Records that slip through carry an old token: let the
 * consumer check stamps where its data lives, and read with {@code isolation.level=read_committed}.
 *
 * <p>A producer that Kafka has fenced counts as the loss of its lease: the lease is released, and the work has to be done again
 * under a new one. Only a transaction that took too long for Kafka leaves the lease as it is. Not for several threads.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class LeasedProducer<K, V> implements AutoCloseable {

    /** Kafka's own, of {@code transaction.timeout.ms}. */
    private static final int DEFAULT_TIMEOUT_MILLIS = 60_000;

    private final Lease lease;
    private final Producer<K, V> producer;

    /** Kafka aborts what takes longer, and fences this producer. */
    private final Duration timeout;

    private boolean begun;
    private long begunAtNanos;

    /**
     * Sends the records of one transaction.
     *
     * @param <K> the type of keys
     * @param <V> the type of values
     * @param <X> the type of its exceptions
     */
    @FunctionalInterface
    public interface Sending<K, V, X extends Exception> {

        /**
         * Sends records.
         *
         * @param out stamps a record and sends it
         * @throws X to abort the transaction
         */
        void to(Consumer<ProducerRecord<K, V>> out) throws X;
    }

    private LeasedProducer(Lease lease, Producer<K, V> producer, Duration timeout) {
        this.lease = lease;
        this.producer = producer;
        this.timeout = timeout;
    }

    /**
     * Opens a producer: the earlier holders' open transaction is aborted, and their producers are fenced. Blocks for {@code max.block.ms}
     * at most.
     *
     * @param <K> the type of keys
     * @param <V> the type of values
     * @param lease the lease; renewed and released by the caller, but for the case that Kafka fences the producer
     * @param settings the settings of a producer, without {@code transactional.id}
     * @param producers makes the producer, for instance {@code KafkaProducer::new}
     * @return the producer, to be closed by the caller
     * @throws LeaseLostException if the lease is lost, also while the producer was opened: nothing was sent then, but the producer
     *     of the next holder may be fenced
     * @throws ProducerFencedException if another holder's producer was opened at the same time
     * @throws IllegalStateException if the lease was released
     * @throws org.apache.kafka.common.KafkaException if Kafka fails
     */
    public static <K, V> LeasedProducer<K, V> open(
            Lease lease, Map<String, ?> settings, Function<Map<String, Object>, ? extends Producer<K, V>> producers) {
        Map<String, Object> all = new HashMap<>(settings);
        if (all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId(lease)) != null) {
            throw new IllegalArgumentException(
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG + " is made of the lock key; leave it out of the settings");
        }
        lease.ensureHeld();
        Object millis = all.getOrDefault(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, DEFAULT_TIMEOUT_MILLIS);
        LeasedProducer<K, V> opened = new LeasedProducer<>(
                lease,
                requireNonNull(producers.apply(all), "producer"),
                Duration.ofMillis(Long.parseLong(String.valueOf(millis))));
        try {
            opened.producer.initTransactions();
            lease.ensureHeld();
            return opened;
        } catch (RuntimeException e) {
            throw opened.ended(e);
        }
    }

    private static String transactionalId(Lease lease) {
        return "fenceline:" + lease.key();
    }

    /**
     * Sends records in one transaction, each with the lease's stamp. When it returns, all of them are committed.
     *
     * @param <X> the type of the exceptions of {@code sending}
     * @param sending sends the records; not repeated
     * @throws LeaseLostException if the lease was lost before the commit; nothing is committed
     * @throws ProducerFencedException if Kafka has fenced this producer while the lease was held. Where the transaction took longer than
     *     {@code transaction.timeout.ms}, 60 seconds by default, the lease stays. Else a late holder was let in: the lease is
     *     released and this producer closed; do the work again under a new lease. If the answer to the commit was lost before, the
     *     records may be committed
     * @throws IllegalStateException if the lease was released
     * @throws org.apache.kafka.common.KafkaException if Kafka fails; nothing is committed. But if the commit itself timed out or was interrupted, the
     *     records may be, and this producer sends no more: close it, and open another one
     * @throws X if {@code sending} throws it; nothing is committed
     */
    public <X extends Exception> void transaction(Sending<K, V, X> sending) throws X {
        begun = false;
        try {
            producer.beginTransaction();
            begunAtNanos = System.nanoTime();
            begun = true;
            sending.to(this::send);
            producer.flush();
            lease.ensureHeld();
            producer.commitTransaction();
        } catch (Throwable e) {
            if (e instanceof RuntimeException failure && isFencing(failure)) {
                throw ended(failure);
            }
            abort(e);
            throw e;
        }
    }

    /** A record that cannot be sent makes the commit fail. */
    private void send(ProducerRecord<K, V> record) {
        Future<?> unused = producer.send(StampedRecords.stamp(record, lease.stamp()));
    }

    /** Kafka aborts by itself, after the transaction's timeout, what cannot be aborted now. */
    private void abort(Throwable reason) {
        if (begun) {
            try {
                producer.abortTransaction();
            } catch (RuntimeException e) {
                reason.addSuppressed(e);
            }
        }
    }

    /** Closes the producer. If Kafka fenced it, the lease ends too. */
    private RuntimeException ended(RuntimeException failure) {
        producer.close(Duration.ZERO);
        if (!isFencing(failure)) {
            return failure;
        }
        try {
            lease.ensureHeld();
        } catch (LeaseLostException | IllegalStateException e) { // lost, or released
            e.addSuppressed(failure);
            return e;
        }
        if (begun && System.nanoTime() - begunAtNanos >= timeout.toNanos()) {
            return fenced(
                    "the transaction took longer than transaction.timeout.ms, " + timeout.toMillis()
                            + " ms, so Kafka has aborted it and takes nothing more from this producer. The lease is held still; close"
                            + " this producer and open another one, with a longer timeout",
                    failure);
        }
        lease.close();
        return fenced(
                "a producer with the transactional.id '"
                        + transactionalId(lease) + "' was opened after that of token " + lease.token()
                        + ": by a late holder, since the lease was held. It is released now; do the work again under a new one",
                failure);
    }

    private static ProducerFencedException fenced(String what, RuntimeException cause) {
        ProducerFencedException fenced = new ProducerFencedException(what);
        fenced.initCause(cause);
        return fenced;
    }

    private static boolean isFencing(RuntimeException failure) {
        return failure instanceof ProducerFencedException || failure instanceof InvalidProducerEpochException;
    }

    /** Closes the producer; a transaction that is open is aborted. The lease stays as it is. */
    @Override
    public void close() {
        producer.close();
    }
}
