package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.RetryPolicy;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The words of the outbox's tests: orders in a table, messages that tell of them, relays with a token. */
abstract class OutboxVocabulary {

    static final Holder OPERATOR = Holder.of("ann");

    /** So long that no test sees its end. */
    static final RetryPolicy MUCH_LATER = RetryPolicy.defaults()
            .withBaseDelay(Duration.ofHours(1))
            .withMaxDelay(Duration.ofHours(2))
            .withJitter(RetryPolicy.Jitter.NONE);

    static final RetryPolicy AT_ONCE = RetryPolicy.defaults()
            .withBaseDelay(Duration.ofMillis(1))
            .withMaxDelay(Duration.ofMillis(2))
            .withJitter(RetryPolicy.Jitter.NONE);

    final Receiver receiver = new Receiver();
    OutboxFixture fixture;
    DataSource source;
    JdbcFenceGuard guard;
    Outbox outbox;

    abstract OutboxFixture newFixture();

    @BeforeEach
    final void install() throws SQLException {
        fixture = newFixture();
        source = fixture.source();
        guard = JdbcFenceGuard.on(source);
        guard.schema().installSchema();
        outbox = Outbox.on(source, OutboxOptions.named("payments"));
        outbox.installSchema();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE orders (id TEXT PRIMARY KEY, charges INTEGER NOT NULL)");
        }
    }

    @AfterEach
    final void remove() {
        fixture.close();
    }

    static FenceStamp stamp(String key, long token) {
        return new FenceStamp(LockKey.of(key), FencingToken.of(token));
    }

    /** Message {@code order/text}, whose key is its text. */
    static OutboxMessage message(String order, long token, String text) {
        return OutboxMessage.of(order, stamp(order, token), text, "gateway", text);
    }

    /** Counts a charge of an order and adds the message that tells of it, in one guarded transaction. */
    final void charge(String order, long token, String text) throws SQLException {
        guard.<Boolean, RuntimeException>call(order, stamp(order, token), connection -> {
            countCharge(connection, order);
            return outbox.add(connection, message(order, token, text));
        });
    }

    static void countCharge(Connection connection, String order) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET charges = orders.charges + 1")) {
            insert.setString(1, order);
            insert.executeUpdate();
        }
    }

    final int charges(String order) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return charges(connection, order);
        }
    }

    static int charges(Connection connection, String order) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT charges FROM orders WHERE id = ?")) {
            query.setString(1, order);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    final OutboxRelay relay(long token, RelayOptions options) {
        return relay(token, options, receiver);
    }

    final OutboxRelay relay(long token, RelayOptions options, Delivery delivery) {
        return new OutboxRelay(outbox, delivery, () -> Optional.of(stamp("relay", token)), options);
    }

    /** Lets a relay make rounds until it finds nothing more to do. */
    static void drain(OutboxRelay relay) throws InterruptedException {
        while (relay.round()) {
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    final OutboxEntry entry(String key) {
        return outbox.find(key).orElseThrow();
    }

    final void assertState(String key, OutboxState state) {
        assertThat(entry(key).state()).as(key).isEqualTo(state);
    }

    /** What a thread ended with. */
    static Thread inBackground(Work work, AtomicReference<Throwable> end) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                end.set(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    interface Work {
        void run() throws Exception;
    }
}
