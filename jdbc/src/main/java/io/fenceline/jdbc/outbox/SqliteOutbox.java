package io.fenceline.jdbc.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** SQLite's statements. Its clock is the machine's, and stands still within a statement. */
final class SqliteOutbox implements OutboxDialect {

    private static final String INSERT = """
            INSERT INTO fenceline_outbox
                   (outbox, resource, lock_key, fence, idempotency_key, destination, payload, headers,
                    added_at, next_attempt_at)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, now, now
              FROM (SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS now)
             WHERE true
            ON CONFLICT (outbox, idempotency_key) DO NOTHING""";

    private static final String COLUMNS = """
            SELECT m.*, m.added_at AS added_ms, m.next_attempt_at AS next_attempt_ms
              FROM fenceline_outbox AS m
            """;

    private static final String FIND = COLUMNS + """
             WHERE m.outbox = ?1 AND m.idempotency_key = ?2""";

    private static final String READY = """
            WITH clock AS MATERIALIZED (SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS now)
            """ + COLUMNS + """
             CROSS JOIN clock
             WHERE m.outbox = ?1 AND m.settled_at IS NULL AND m.state <> 'DEAD' AND m.next_attempt_at <= clock.now
               AND NOT EXISTS (
                   SELECT 1 FROM fenceline_outbox AS earlier
                    WHERE earlier.outbox = m.outbox AND earlier.resource = m.resource AND earlier.id < m.id
                      AND earlier.settled_at IS NULL
                      AND CASE earlier.state WHEN 'DEAD' THEN ?2
                                             ELSE earlier.next_attempt_at > clock.now END)
             ORDER BY m.id
             LIMIT ?3""";

    private static final String BEGIN = """
            UPDATE fenceline_outbox
               SET attempts = attempts + CASE state WHEN 'PENDING' THEN 1 ELSE 0 END,
                   compensations = compensations + CASE state WHEN 'COMPENSATING' THEN 1 ELSE 0 END
             WHERE id = ?1 AND state = ?2""";

    private static final String MARK = """
            UPDATE fenceline_outbox
               SET state = ?3, last_error = ?5,
                   next_attempt_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + ?4,
                   settled_at = CASE WHEN ?6 THEN CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) END
             WHERE id = ?1 AND (state = ?2 OR ?3 = 'DELIVERED')""";

    private static final String RETRY = """
            UPDATE fenceline_outbox
               SET state = 'PENDING', attempts = 0, compensations = 0, next_attempt_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER),
                   last_error = substr(?3 || last_error, 1, 2000)
             WHERE outbox = ?1 AND idempotency_key = ?2 AND state IN ('PENDING', 'DEAD')""";

    private static final String SKIP = """
            UPDATE fenceline_outbox
               SET state = 'SKIPPED', settled_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), last_error = substr(?3 || last_error, 1, 2000)
             WHERE outbox = ?1 AND idempotency_key = ?2 AND state IN ('PENDING', 'DEAD')""";

    private static final String PURGE = """
            DELETE FROM fenceline_outbox
             WHERE id IN (SELECT id FROM fenceline_outbox
                           WHERE outbox = ?1 AND settled_at < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - ?2
                           LIMIT ?3)""";

    private static final String LIST = COLUMNS + """
             WHERE m.outbox = ?1 AND m.state = ?2
             ORDER BY m.id
             LIMIT ?3""";

    private static final String PROGRESS = """
            SELECT count(*) FILTER (WHERE state = 'PENDING') AS pending,
                   count(*) FILTER (WHERE state = 'COMPENSATING') AS compensating,
                   count(*) FILTER (WHERE state = 'DEAD') AS dead,
                   CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - min(added_at) AS oldest_ms
              FROM fenceline_outbox
             WHERE outbox = ?1 AND settled_at IS NULL""";

    @Override
    public String product() {
        return "SQLite";
    }

    @Override
    public String schema() {
        return SchemaText.of("sqlite-1.sql");
    }

    @Override
    public void install(Connection connection, OutboxTable table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(table.in(schema()));
        }
    }

    @Override
    public String insert() {
        return INSERT;
    }

    @Override
    public String find() {
        return FIND;
    }

    @Override
    public String ready() {
        return READY;
    }

    @Override
    public String begin() {
        return BEGIN;
    }

    @Override
    public String mark() {
        return MARK;
    }

    @Override
    public String retry() {
        return RETRY;
    }

    @Override
    public String skip() {
        return SKIP;
    }

    @Override
    public String purge() {
        return PURGE;
    }

    @Override
    public String list() {
        return LIST;
    }

    @Override
    public String progress() {
        return PROGRESS;
    }
}
