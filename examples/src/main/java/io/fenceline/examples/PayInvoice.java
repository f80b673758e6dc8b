package io.fenceline.examples;

import io.fenceline.FenceStamp;
import io.fenceline.Lease;
import io.fenceline.Locks;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The shortest complete use: one lock, one write that carries the token, one table that refuses older ones. */
public final class PayInvoice {

    private PayInvoice() {}

    /**
     * Pays invoice 42 under its lock.
     *
     * @param lockStore a backend URI such as {@code sqlite:locks.db}
     * @param invoices a JDBC URL of the database with the invoices
     */
    public static void pay(String lockStore, String invoices) throws InterruptedException, SQLException {
        try (Locks locks = Locks.open(lockStore)) {

            try (Lease lease = locks.acquire("invoice:42")) { // waits up to 5 s, renews itself
                markPaid(invoices, 42, lease.stamp());
            }
        }
    }

    static void markPaid(String invoices, long id, FenceStamp stamp) throws SQLException {
        String sql = "UPDATE invoice SET status = 'paid', last_fence = ? WHERE id = ? AND last_fence <= ?";
        try (Connection connection = DriverManager.getConnection(invoices);
                PreparedStatement update = connection.prepareStatement(sql)) {
            update.setLong(1, stamp.token().value());
            update.setLong(2, id);
            update.setLong(3, stamp.token().value());
            if (update.executeUpdate() == 0) {
                throw new IllegalStateException(
                        exists(connection, id)
                                ? "a newer holder has written invoice " + id + "; ours is " + stamp
                                : "there is no invoice " + id);
            }
        }
    }

    private static boolean exists(Connection connection, long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT 1 FROM invoice WHERE id = ?")) {
            select.setLong(1, id);
            return select.executeQuery().next();
        }
    }
}
