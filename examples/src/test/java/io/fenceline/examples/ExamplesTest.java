package io.fenceline.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    private static void execute(String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long lastFence(String database) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT last_fence FROM invoice WHERE id = 42")) {
            row.next();
            return row.getLong(1);
        }
    }
}
