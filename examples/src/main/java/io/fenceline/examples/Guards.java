package io.fenceline.examples;

import static io.fenceline.jdbc.guard.Columns.set;

import io.fenceline.FenceStamp;
import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.FencedStream;
import io.fenceline.jdbc.guard.FencedTable;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.redis.RedisFenceGuard;
import io.fenceline.redis.RedisFences;
import io.fenceline.redis.RedisOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

/** The guards of databases and of Redis, as the documentation shows them. */
public final class Guards {

    private final DataSource dataSource;

    /** Makes guards on a database. */
    public Guards(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Several tables under one fence. */
    public void wholeTransaction(Locks locks) throws InterruptedException, SQLException {
        JdbcFenceGuard guard = JdbcFenceGuard.on(dataSource);
        try (Lease lease = locks.acquire("invoice:42")) {
            guard.claim("invoice/42", lease.stamp()); // before the first read
            long total = total(42);
            guard.call("invoice/42", lease.stamp(), connection -> {
                pay(connection, 42, total);
                return book(connection, 42, total);
            });
        }
    }

    /** The same in a transaction that somebody else has begun. */
    public void joined(JdbcFenceGuard guard, Connection connection, FenceStamp stamp) throws SQLException {
        guard.enter(connection, "invoice/42", stamp); // first; keeps the fence until the transaction ends
        pay(connection, 42, total(42));
    }

    /** One row, under the resource invoice/42. */
    public boolean oneRow(Connection connection, FenceStamp stamp) throws SQLException {
        FencedTable invoices = FencedTable.of("invoice", "id", "last_fence");
        return invoices.update(connection, 42L, stamp, set("status", "paid")); // false: no such row
    }

    /** An append-only stream. */
    public long stream(FenceStamp stamp, byte[] entry) {
        return FencedStream.on(dataSource).append("ledger", stamp, entry);
    }

    /** Values and hashes on Redis. */
    public void redis(String uri, FenceStamp stamp) {
        try (RedisFences fences = RedisFences.open(uri, RedisOptions.defaults())) {
            RedisFenceGuard guard = fences.guard(FenceRule.AT_LEAST);
            guard.set("greeting", "hello", stamp);
            guard.hset("invoice:42", Map.of("status", "paid"), stamp);
        }
    }

    /** What a superseded holder does: it stops. */
    public boolean tryToPay(Locks locks) throws InterruptedException, SQLException {
        try {
            wholeTransaction(locks);
            return true;
        } catch (StaleTokenException e) {
            // another holder is at work: nothing was written, and repeating cannot help
            return false;
        }
    }

    private long total(long invoice) throws SQLException {
        String sql = "SELECT total FROM invoice WHERE id = ?";
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, invoice);
            var row = select.executeQuery();
            row.next();
            return row.getLong(1);
        }
    }

    private static void pay(Connection connection, long invoice, long amount) throws SQLException {
        change(connection, "UPDATE invoice SET status = 'paid', paid = ? WHERE id = ?", amount, invoice);
    }

    private static int book(Connection connection, long invoice, long amount) throws SQLException {
        return change(connection, "INSERT INTO booking (amount, invoice) VALUES (?, ?)", amount, invoice);
    }

    private static int change(Connection connection, String sql, long first, long second) throws SQLException {
        try (PreparedStatement change = connection.prepareStatement(sql)) {
            change.setLong(1, first);
            change.setLong(2, second);
            return change.executeUpdate();
        }
    }
}
