package io.fenceline.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.election.Election;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class ExamplesTest {

    @TempDir
    Path folder;

    @Test
    void anInvoiceIsPaidUnderItsLockAndAnOlderTokenIsRefused() throws Exception {
        String invoices = "jdbc:sqlite:" + folder.resolve("invoices.db");
        execute(
                invoices,
                "CREATE TABLE invoice (id INTEGER PRIMARY KEY, status TEXT, last_fence INTEGER NOT NULL DEFAULT 0)");
        execute(invoices, "INSERT INTO invoice (id, status) VALUES (42, 'open')");
        String lockStore = "sqlite:" + folder.resolve("locks.db");

        PayInvoice.pay(lockStore, invoices);
        PayInvoice.pay(lockStore, invoices);

        assertThat(lastFence(invoices)).isEqualTo(2);
        FenceStamp stale = new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(1));
        assertThatThrownBy(() -> PayInvoice.markPaid(invoices, 42, stale)).hasMessageContaining("newer holder");
        assertThatThrownBy(() -> PayInvoice.markPaid(invoices, 43, stale)).hasMessageContaining("no invoice 43");
        assertThat(lastFence(invoices)).isEqualTo(2);
    }

    @Test
    void theReportRunsOnOneNodeAtATime() throws Exception {
        try (MemoryLockBackend store = new MemoryLockBackend();
                Locks node1 = Locks.over(store);
                Locks node2 = Locks.over(store)) {
            assertThat(new NightlyReport(node1).runOnce(List.of("ann", "bob"))).isEqualTo(2);

            Lease held = new NightlyReport(node1).start(() -> {}).orElseThrow();
            assertThatThrownBy(() -> new NightlyReport(node2).runOnce(List.of("ann")))
                    .isInstanceOf(LockTimeoutException.class);
            held.close();
        }
    }

    @Test
    void oneNodeBooksOrdersAndAnotherDoesWhenItLeaves() throws Exception {
        String bookings = "jdbc:sqlite:" + folder.resolve("bookings.db");
        execute(bookings, "CREATE TABLE booking (order_id INTEGER PRIMARY KEY)");
        SQLiteDataSource database = new SQLiteDataSource();
        database.setUrl(bookings);
        JdbcFenceGuard guard = JdbcFenceGuard.on(database);
        guard.schema().installSchema();
        try (MemoryLockBackend store = new MemoryLockBackend();
                Locks locks1 = Locks.over(store);
                Locks locks2 = Locks.over(store)) {
            BlockingQueue<Long> orders = new LinkedBlockingQueue<>();
            OrderBooker booker = new OrderBooker(guard, orders);

            Election node1 = booker.join(locks1, "node 1");
            orders.add(1L);
            await().until(() -> count(bookings) == 1);
            FenceStamp stale = node1.tokens().required();
            node1.close();
            Election node2 = booker.join(locks2, "node 2");
            orders.add(2L);
            await().until(() -> count(bookings) == 2);

            assertThat(node1.tokens().current()).isEmpty();
            assertThat(highest(guard)).isEqualTo(2);
            assertThatThrownBy(() -> guard.<Integer, SQLException>call("bookings", stale, connection -> 0))
                    .isInstanceOf(StaleTokenException.class);
            node2.close();
        }
    }

    private static long highest(JdbcFenceGuard guard) {
        return guard.highest("bookings").map(stamp -> stamp.token().value()).orElse(0L);
    }

    private static long count(String database) throws SQLException {
        return number(database, "SELECT COUNT(*) FROM booking");
    }

    private static void execute(String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long lastFence(String database) throws SQLException {
        return number(database, "SELECT last_fence FROM invoice WHERE id = 42");
    }

    private static long number(String database, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
