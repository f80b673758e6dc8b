package io.fenceline.benchmarks.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.benchmarks.store.StoreAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** pgjdbc and HikariCP: one statement to acquire and one to release, in autocommit. */
final class RawPostgresClient implements LockClient {

    private static final String SCHEMA = """
            CREATE TABLE IF NOT EXISTS raw_lock (
              key text PRIMARY KEY,
              owner text,
              fence bigint NOT NULL,
              expires timestamptz NOT NULL)
            """;

    private static final String UNKNOWN_KEY = """
            INSERT INTO raw_lock (key, fence, expires) VALUES (?, 0, '-infinity') ON CONFLICT DO NOTHING
            """;

    private static final String UPSERT = """
            INSERT INTO raw_lock AS t (owner, key, fence, expires)
            VALUES (?, ?, 1, clock_timestamp() + interval '30 s')
            ON CONFLICT (key) DO UPDATE
            SET owner = excluded.owner, fence = t.fence + 1, expires = excluded.expires
            WHERE t.expires < clock_timestamp()
            RETURNING fence
            """;

    private static final String UPDATE = """
            UPDATE raw_lock
            SET owner = ?, fence = fence + 1, expires = clock_timestamp() + interval '30 s'
            WHERE key = ? AND expires < clock_timestamp()
            RETURNING fence
            """;

    private static final String RELEASE = """
            UPDATE raw_lock SET owner = NULL, expires = '-infinity' WHERE owner = ? AND key = ?
            """;

    private static final String RELEASE_WITHOUT_FLUSH = """
            WITH s AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
            UPDATE raw_lock SET owner = NULL, expires = '-infinity' FROM s WHERE owner = ? AND key = ?
            """;

    private final HikariDataSource pool;
    private final String acquire;
    private final String release;

    private RawPostgresClient(StoreAddress address, String acquire, String release)
            throws SQLException, InterruptedException {
        this.pool = PostgresPool.open(address, SCHEMA);
        this.acquire = acquire;
        this.release = release;
    }

    /** An upsert and an update, both flushed. */
    static LockClient openDurable(StoreAddress address) throws SQLException, InterruptedException {
        return new RawPostgresClient(address, UPSERT, RELEASE);
    }

    /** Two updates, of which only the first is flushed. */
    static LockClient openUpdating(StoreAddress address) throws SQLException, InterruptedException {
        return new RawPostgresClient(address, UPDATE, RELEASE_WITHOUT_FLUSH);
    }

    @Override
    public KeyLock lock(String key) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(UNKNOWN_KEY)) {
            statement.setString(1, key);
            statement.executeUpdate();
        }
        Owners owners = new Owners();
        return new Polling(Duration.ofMillis(1)) {
            private String owner;

            @Override
            long tryAcquire() throws SQLException {
                owner = owners.next();
                try (Connection connection = pool.getConnection();
                        PreparedStatement statement = connection.prepareStatement(acquire)) {
                    statement.setString(1, owner);
                    statement.setString(2, key);
                    try (ResultSet rows = statement.executeQuery()) {
                        return rows.next() ? rows.getLong(1) : -1;
                    }
                }
            }

            @Override
            public void release() throws SQLException {
                try (Connection connection = pool.getConnection();
                        PreparedStatement statement = connection.prepareStatement(release)) {
                    statement.setString(1, owner);
                    statement.setString(2, key);
                    statement.executeUpdate();
                }
            }
        };
    }

    @Override
    public void close() {
        pool.close();
    }
}
