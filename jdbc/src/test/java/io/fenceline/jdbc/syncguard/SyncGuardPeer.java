package io.fenceline.jdbc.syncguard;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** A stand-in for a SyncGuard process: the statements of its operations, one by one, as the reference tells them. */
final class SyncGuardPeer {

    private final DataSource source;

    SyncGuardPeer(DataSource source) {
        this.source = source;
    }

    /** Answers the fence, or empty if somebody else has the lock. */
    Optional<String> acquire(String key, String lockId, long ttlMillis) throws SQLException {
        return inTransaction(connection -> {
            lockKey(connection, key);
            long now = now(connection);
            List<Long> expiry = longs(connection, "SELECT expires_at_ms FROM syncguard_locks WHERE key = ?", key);
            if (!expiry.isEmpty() && expiry.get(0) > now - 1000) {
                return Optional.empty();
            }
            update(
                    connection,
                    "INSERT INTO syncguard_fence_counters (fence_key, fence, key_debug) VALUES (?, 0, ?)"
                            + " ON CONFLICT (fence_key) DO NOTHING",
                    "fence:" + key,
                    key);
            long next = longs(
                            connection,
                            "UPDATE syncguard_fence_counters SET fence = fence + 1 WHERE fence_key = ? RETURNING fence",
                            "fence:" + key)
                    .get(0);
            String fence = "%015d".formatted(next);
            update(
                    connection,
                    "INSERT INTO syncguard_locks (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)"
                            + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET lock_id = excluded.lock_id,"
                            + " expires_at_ms = excluded.expires_at_ms, acquired_at_ms = excluded.acquired_at_ms,"
                            + " fence = excluded.fence, user_key = excluded.user_key",
                    key,
                    lockId,
                    now + ttlMillis,
                    now,
                    fence,
                    key);
            return Optional.of(fence);
        });
    }

    boolean release(String lockId) throws SQLException {
        return inTransaction(connection -> {
            Optional<String> key = runningKey(connection, lockId);
            if (key.isPresent()) {
                update(connection, "DELETE FROM syncguard_locks WHERE key = ?", key.get());
            }
            return key.isPresent();
        });
    }

    boolean extend(String lockId, long ttlMillis) throws SQLException {
        return inTransaction(connection -> extendedIn(connection, lockId, ttlMillis));
    }

    boolean extendedIn(Connection connection, String lockId, long ttlMillis) throws SQLException {
        Optional<String> key = runningKey(connection, lockId);
        if (key.isPresent()) {
            update(
                    connection,
                    "UPDATE syncguard_locks SET expires_at_ms = ? WHERE key = ?",
                    now(connection) + ttlMillis,
                    key.get());
        }
        return key.isPresent();
    }

    boolean isLocked(String key) throws SQLException {
        return inTransaction(connection -> !longs(
                        connection,
                        "SELECT expires_at_ms FROM syncguard_locks WHERE key = ?"
                                + " AND expires_at_ms > floor(extract(epoch FROM now()) * 1000)::bigint - 1000",
                        key)
                .isEmpty());
    }

    void lockKey(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_advisory_xact_lock(hashtext(?))")) {
            statement.setString(1, key);
            statement.execute();
        }
    }

    private Optional<String> runningKey(Connection connection, String lockId) throws SQLException {
        long now = now(connection);
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT key, expires_at_ms, lock_id FROM syncguard_locks WHERE lock_id = ? FOR UPDATE")) {
            statement.setString(1, lockId);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getLong("expires_at_ms") > now - 1000
                        ? Optional.of(row.getString("key"))
                        : Optional.empty();
            }
        }
    }

    private static long now(Connection connection) throws SQLException {
        return longs(connection, "SELECT floor(extract(epoch FROM now()) * 1000)::bigint")
                .get(0);
    }

    private static List<Long> longs(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, values);
            List<Long> numbers = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    numbers.add(row.getLong(1));
                }
            }
            return numbers;
        }
    }

    private static void update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, values);
            statement.executeUpdate();
        }
    }

    private static void set(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    private <T> T inTransaction(Work<T> work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T answer = work.on(connection);
                connection.commit();
                return answer;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }
}
