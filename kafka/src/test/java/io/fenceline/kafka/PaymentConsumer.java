package io.fenceline.kafka;

import io.fenceline.guard.FencedConsumer;
import io.fenceline.guard.GuardedStep;
import io.fenceline.guard.RefusedMessages;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Books payments that come through Kafka. The fence and the booking are one transaction of the database; the offset is committed
 * after it, so a record may come twice, and the guard decides what a second coming does.
 */
public final class PaymentConsumer {

    private final FencedConsumer<ConsumerRecord<String, String>, Connection> payments;

    /**
     * Creates a consumer.
     *
     * @param guard guards the invoices; with {@code FenceRule.ONCE} a record that comes twice is booked once
     * @param refused gets records that are refused: of superseded senders, without a stamp, and, under that rule, records that come twice
     */
    public PaymentConsumer(JdbcFenceGuard guard, RefusedMessages<ConsumerRecord<String, String>> refused) {
        GuardedStep<Connection> transaction = (resource, stamp, effect) -> guard.write(resource, stamp, effect::run);
        payments = FencedConsumer.of(
                        record -> StampedRecords.read(record.headers()),
                        ConsumerRecord::key,
                        transaction,
                        PaymentConsumer::book)
                .whenStale(refused)
                .whenMissing(refused)
                .whenMistaken(refused);
    }

    private static void book(ConsumerRecord<String, String> record, Connection connection) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO payment (invoice, amount) VALUES (?, ?)")) {
            insert.setString(1, record.key());
            insert.setString(2, record.value());
            insert.executeUpdate();
        }
    }

    /**
     * Handles what has come, and then tells Kafka so.
     *
     * @param kafka a consumer without auto-commit
     * @param wait how long to wait for the first record
     * @return how many records were booked
     * @throws Exception if a record could not be handled; no offset is committed, and the records come again to the next consumer of the group: close this one
     */
    public int handleNext(Consumer<String, String> kafka, Duration wait) throws Exception {
        int booked = 0;
        for (ConsumerRecord<String, String> record : kafka.poll(wait)) {
            booked += handle(record) ? 1 : 0;
        }
        kafka.commitSync();
        return booked;
    }

    /** Books one record, or passes it to the outcome of its refusal. Returns whether it was booked. */
    boolean handle(ConsumerRecord<String, String> record) throws Exception {
        return payments.accept(record);
    }
}
