package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A message is there if and only if the write is. */
@Tag("R3")
abstract class AddingContract extends OutboxVocabulary {

    @Test
    void keepsAllThatAMessageSays() throws Exception {
        byte[] payload = {0, 1, -1, 127, -128};
        Map<String, String> headers = Map.of("trace id", "a=b&c", "", "\u00e9\n");
        OutboxMessage message = OutboxMessage.of("order:1", stamp("order:1", 7), "key", "topic", payload)
                .withHeaders(headers);
        guard.<Boolean, RuntimeException>call(
                "order:1", stamp("order:1", 7), connection -> outbox.add(connection, message));

        OutboxEntry entry = entry("key");
        assertThat(entry.message().resource()).isEqualTo("order:1");
        assertThat(entry.message().stamp()).isEqualTo(stamp("order:1", 7));
        assertThat(entry.message().destination()).isEqualTo("topic");
        assertThat(entry.message().payload()).isEqualTo(payload);
        assertThat(entry.message().headers()).isEqualTo(headers);
        assertThat(entry.state()).isEqualTo(OutboxState.PENDING);
        assertThat(entry.attempts()).isZero();
        assertThat(entry.nextAttemptAt())
                .isBetween(entry.addedAt(), entry.addedAt().plusSeconds(60));
    }

    @Test
    void leavesNoMessageIfTheTransactionIsRolledBack() throws Exception {
        assertThatExceptionOfType(ArithmeticException.class)
                .isThrownBy(() -> guard.<Boolean, RuntimeException>call("order:1", stamp("order:1", 7), connection -> {
                    countCharge(connection, "order:1");
                    outbox.add(connection, message("order:1", 7, "charge"));
                    throw new ArithmeticException("the business logic fails");
                }));

        assertThat(outbox.find("charge")).isEmpty();
        assertThat(charges("order:1")).isZero();
        assertThat(outbox.progress().isDone()).isTrue();
    }

    /** The caller's transaction may have the pool's last connection, or be the only one that the data source gives. */
    @Test
    void asksForNoOtherConnectionThanTheCallers() throws Exception {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            FailingDataSource exhausted = new FailingDataSource(source);
            exhausted.fail(true);
            Outbox ofAnExhaustedPool = Outbox.on(exhausted, OutboxOptions.named("payments"));

            assertThat(ofAnExhaustedPool.add(connection, message("order:1", 7, "charge")))
                    .isTrue();
            connection.commit();
        }
        assertThat(outbox.find("charge")).isPresent();
    }

    @Test
    void addsAMessageOnceForEachKey() throws Exception {
        charge("order:1", 7, "charge");
        boolean added = guard.<Boolean, RuntimeException>call(
                "order:1", stamp("order:1", 7), connection -> outbox.add(connection, message("order:1", 7, "charge")));

        assertThat(added).isFalse();
        assertThat(outbox.progress().pending()).isEqualTo(1);
    }

    @Test
    void refusesAKeyThatWasUsedForAnotherMessage() throws Exception {
        charge("order:1", 7, "charge");
        OutboxMessage other = OutboxMessage.of("order:1", stamp("order:1", 7), "charge", "gateway", "much more");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> guard.<Boolean, RuntimeException>call(
                        "order:1", stamp("order:1", 7), connection -> outbox.add(connection, other)))
                .withMessageContaining("'charge'")
                .withMessageContaining("key of its own");
        assertThat(entry("charge").message().text()).isEqualTo("charge");
    }

    @Test
    @Tag("R1")
    void addsNoMessageOfAStaleWriter() throws Exception {
        charge("order:1", 8, "of the new holder");

        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> charge("order:1", 7, "of the stale one"));
        assertThat(outbox.find("of the stale one")).isEmpty();
        assertThat(charges("order:1")).isEqualTo(1);
    }

    @Test
    @Tag("R1")
    void addsNoMessageOfAStaleWriterThatForgotTheGuard() throws Exception {
        guard.claim("order:1", stamp("order:1", 8));

        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> outbox.add(connection, message("order:1", 7, "stale")));
            assertThatExceptionOfType(ForeignTokenException.class)
                    .isThrownBy(() -> outbox.add(
                            connection,
                            OutboxMessage.of("order:1", stamp("another lock", 9), "foreign", "gateway", "")));
            connection.commit();
        }
        assertThat(outbox.progress().isDone()).isTrue();
    }

    @Test
    @Tag("R2")
    void addsSeveralMessagesWhereAGrantWritesOnce() throws Exception {
        GuardOptions options = GuardOptions.defaults().withRule(FenceRule.ONCE);
        JdbcFenceGuard once = JdbcFenceGuard.on(source, options);
        outbox = Outbox.on(source, OutboxOptions.named("payments"), options);
        once.<Boolean, RuntimeException>call("order:1", stamp("order:1", 7), connection -> {
            outbox.add(connection, message("order:1", 7, "first"));
            return outbox.add(connection, message("order:1", 7, "second"));
        });

        assertThat(outbox.progress().pending()).isEqualTo(2);
        drain(relay(1, RelayOptions.defaults()));
        assertThat(receiver.effects).containsExactly("first", "second");
    }

    @Test
    void wantsATransaction() throws Exception {
        try (Connection connection = source.getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> outbox.add(connection, message("order:1", 7, "charge")))
                    .withMessageContaining("auto-commit");
        }
        assertThat(outbox.find("charge")).isEmpty();
    }

    @Test
    void keepsOutboxesOfOneTableApart() throws Exception {
        Outbox mails = Outbox.on(source, OutboxOptions.named("mails"));
        charge("order:1", 7, "same key");
        guard.<Boolean, RuntimeException>call(
                "order:1", stamp("order:1", 7), connection -> mails.add(connection, message("order:1", 7, "same key")));

        drain(relay(1, RelayOptions.defaults()));

        assertState("same key", OutboxState.DELIVERED);
        assertThat(mails.find("same key").orElseThrow().state()).isEqualTo(OutboxState.PENDING);
        assertThat(receiver.heard).hasSize(1);
    }

    @Test
    void installsTwiceAndPrintsWhatItInstalls() {
        outbox.installSchema();

        assertThat(outbox.schemaScript()).contains("CREATE TABLE IF NOT EXISTS fenceline_outbox");
    }
}
