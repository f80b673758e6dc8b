package io.fenceline.benchmarks.contender;

import io.fenceline.benchmarks.store.StoreAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.sqlite.SQLiteConfig;

/** SQLite's driver, in a file beside ours: one connection, which one thread at a time uses, an upsert and an update, both flushed. */
final class RawSqliteClient implements LockClient {

    private static final String SCHEMA = """
            CREATE TABLE IF NOT EXISTS raw_lock (
              key text PRIMARY KEY,
              owner text,
              fence integer NOT NULL,
              expires integer NOT NULL) WITHOUT ROWID
            """;

    private static final String ACQUIRE = """
            INSERT INTO raw_lock AS t (key, owner, fence, expires)
            VALUES (?1, ?2, 1, ?3 + 30000)
            ON CONFLICT (key) DO UPDATE
            SET owner = excluded.owner, fence = t.fence + 1, expires = excluded.expires
            WHERE t.expires < ?3
            RETURNING fence
            """;

    private static final String RELEASE = """
            UPDATE raw_lock SET owner = NULL, expires = 0 WHERE key = ? AND owner = ?
            """;

    private static final int BUSY_MILLIS = 10_000;

    private final ReentrantLock turn = new ReentrantLock();
    private final Connection connection;
    private final PreparedStatement acquire;
    private final PreparedStatement release;

    private RawSqliteClient(Connection connection) throws SQLException {
        this.connection = connection;
        try (Statement statement = connection.createStatement()) {
            statement.execute(SCHEMA);
        }
        this.acquire = connection.prepareStatement(ACQUIRE);
        this.release = connection.prepareStatement(RELEASE);
    }

    static LockClient open(StoreAddress address) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(BUSY_MILLIS);
        return new RawSqliteClient(config.createConnection(address.jdbcUrl() + ".raw"));
    }

    @Override
    public KeyLock lock(String key) {
        Owners owners = new Owners();
        return new Polling(Duration.ofMillis(1)) {
            private String owner;

            @Override
            long tryAcquire() throws SQLException {
                owner = owners.next();
                turn.lock();
                try {
                    acquire.setString(1, key);
                    acquire.setString(2, owner);
                    acquire.setLong(3, System.currentTimeMillis());
                    try (ResultSet rows = acquire.executeQuery()) {
                        return rows.next() ? rows.getLong(1) : -1;
                    }
                } finally {
                    turn.unlock();
                }
            }

            @Override
            public void release() throws SQLException {
                turn.lock();
                try {
                    release.setString(1, key);
                    release.setString(2, owner);
                    release.executeUpdate();
                } finally {
                    turn.unlock();
                }
            }
        };
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
