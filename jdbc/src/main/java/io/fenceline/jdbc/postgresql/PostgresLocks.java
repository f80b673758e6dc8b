package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.LockRows;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.RowConflict;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

/**
 * Locking in single statements. All settings are made with {@code set_config(…, true)} within the statement that needs them and
 * end with it, so that connections may be shared behind a transaction-mode pooler.
 */
final class PostgresLocks implements LockStatements {

    static final LockRows ROWS = LockRows.ofText(
            (row, column) -> row.getObject(column, OffsetDateTime.class).toInstant());

    /**
     * The answer is what was updated or inserted, and the row as it was when the statement began.
     *
     * <p>Only if no lease runs in the row does the statement try to write. It then waits for its twins, requests under the same
     * lock id that are still on their way to an answer: whoever is refused may rely on it that its id was not granted before it
     * asked. And it goes on only if no other writes at this moment: that turn is tried and not waited for. Without it each of
     * many contenders would wait for the one before it to reach the disk, only to be refused.
     *
     * <p>A row that was changed meanwhile is judged again as changed; both times are read then, from one look at the clock. A row
     * that is unknown is inserted; if another was faster, nothing happens.
     */
    private static final String ACQUIRE = """
            WITH updated AS (
                UPDATE fenceline_lock AS lock
                   SET last_fence = lock.last_fence + ?3::int, fence = lock.last_fence + 1, tokens = ?3::int,
                       lock_id = ?2::text, holder = ?4::text,
                       (acquired_at, expires_at) = (
                           SELECT clock.now, clock.now + ?5::bigint * interval '1 millisecond'
                             FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
                 WHERE lock.lock_key = ?1::text AND lock.last_fence <= 900000000000000 - ?3::int
                   AND CASE WHEN lock.lock_id IS NULL OR lock.expires_at <= clock_timestamp()
                            THEN set_config('lock_timeout', ?6::text, true) IS NOT NULL
                                 AND pg_advisory_xact_lock(
                                         hashtextextended(?2::text, - 'fenceline_lock'::regclass::oid::bigint)) IS NOT NULL
                                 AND pg_try_advisory_xact_lock(
                                         hashtextextended(?1::text, 'fenceline_lock'::regclass::oid::bigint))
                       END
                RETURNING lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at
            ), inserted AS (
                INSERT INTO fenceline_lock AS lock
                       (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
                SELECT ?1::text, ?3::int, 1, ?3::int, ?2::text, ?4::text,
                       clock.now, clock.now + ?5::bigint * interval '1 millisecond'
                  FROM (SELECT clock_timestamp()) AS clock (now)
                 WHERE CASE WHEN NOT EXISTS (SELECT FROM fenceline_lock AS known WHERE known.lock_key = ?1::text)
                            THEN set_config('lock_timeout', ?6::text, true) IS NOT NULL
                                 AND pg_advisory_xact_lock(
                                         hashtextextended(?2::text, - 'fenceline_lock'::regclass::oid::bigint)) IS NOT NULL
                       END
                ON CONFLICT (lock_key) DO NOTHING
                RETURNING lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at
            )
            SELECT true AS granted, *, 0 AS last_fence, acquired_at AS now, true AS runs FROM updated
            UNION ALL
            SELECT true, *, 0, acquired_at, true FROM inserted
            UNION ALL
            SELECT false, lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at,
                   lock.last_fence, clock.now, lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
              FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
             WHERE lock.lock_key = ?1::text""";

    private static final String EXTEND = """
            UPDATE fenceline_lock AS lock
               SET expires_at = greatest(lock.expires_at, clock_timestamp() + ?3::bigint * interval '1 millisecond')
             WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text
               AND CASE WHEN lock.expires_at > clock_timestamp()
                        THEN set_config('lock_timeout', ?4::text, true) IS NOT NULL
                   END
            RETURNING lock.expires_at""";

    /**
     * Does not wait for the disk: if the server dies before the release is written, the lease runs to its end. The next grant is
     * written after it and waited for.
     *
     * <p>Waiters share an advisory lock on their connections for signals. Only if it cannot be had alone does anybody wait, and
     * is notified. It is released with the statement.
     */
    private static final String RELEASE = """
            UPDATE fenceline_lock AS lock
               SET lock_id = NULL
             WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text
               AND CASE WHEN lock.expires_at > clock_timestamp()
                        THEN set_config('lock_timeout', ?5::text, true) IS NOT NULL
                             AND set_config('synchronous_commit', 'off', true) IS NOT NULL
                   END
            RETURNING CASE WHEN pg_try_advisory_xact_lock(?3::bigint) THEN ''
                           ELSE pg_notify(?4::text, '')::text
                      END""";

    private static final String RUNNING = """
            SELECT lock.*, clock.now
              FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
             WHERE lock.%s = ?1 AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now""";

    private static final String CONFLICT = "40001";

    private final Sql acquire;
    private final Sql extend;
    private final Sql release;
    private final Sql ofKey;
    private final Sql ofId;
    private final LockStore store;
    private final LockTable table;
    private final String lockTimeout;

    PostgresLocks(LockStore store) {
        this.store = store;
        this.table = store.table();
        this.acquire = new Sql(table.in(ACQUIRE));
        this.extend = new Sql(table.in(EXTEND));
        this.release = new Sql(table.in(RELEASE));
        this.ofKey = new Sql(table.in(RUNNING.formatted("lock_key")));
        this.ofId = new Sql(table.in(RUNNING.formatted("lock_id")));
        this.lockTimeout = store.lockTimeout();
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        try {
            List<Answer> answers = acquire.all(
                    connection,
                    row -> Answer.read(request, row),
                    request.key().value(),
                    request.lockId().text(),
                    request.tokens(),
                    request.holder().text(),
                    request.ttlMillis(),
                    store.lockTimeout(request.timeout()));
            Optional<Acquisition> outcome = answers.stream()
                    .flatMap(answer -> answer.outcome().stream())
                    .findFirst();
            if (outcome.isPresent()) {
                return outcome.get();
            }
            answers.forEach(answer -> Checks.tokensLeft(request, answer.lastFence()));
        } catch (SQLException e) {
            // Stricter isolation levels refuse to judge a row that has changed.
            if (isConflict(e)) {
                return standing(connection, request).orElseThrow(() -> e);
            }
            throw e;
        }
        // The lock was free and another was faster. Its grant may be invisible until the commit is done, so how long it
        // runs is
        // unknown; a lease like ours makes the caller poll instead of asking again at once.
        return standing(connection, request).orElse(new Contended(request.ttl(), Optional.empty()));
    }

    static boolean isConflict(SQLException e) {
        return CONFLICT.equals(e.getSQLState());
    }

    /** Looks again: a statement sees nothing of what was committed after it began. */
    private Optional<Acquisition> standing(Connection connection, AcquireRequest request) throws SQLException {
        return running(connection, request.key()).map(lease -> LockRows.answer(request, lease));
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return RowConflict.retried(
                connection,
                PostgresLocks::isConflict,
                same -> extend.one(
                        same, row -> ROWS.time(row, "expires_at"), key.value(), lockId.text(), ttlMillis, lockTimeout));
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        SignalId signal = SignalId.of(table, key);
        return RowConflict.retried(
                connection,
                PostgresLocks::isConflict,
                same -> release.one(
                                same,
                                row -> true,
                                key.value(),
                                lockId.text(),
                                signal.number(),
                                signal.channel(),
                                lockTimeout)
                        .isPresent());
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException {
        return ofKey.one(connection, ROWS::lease, key.value());
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException {
        return ofId.one(connection, ROWS::lease, lockId.text());
    }

    /**
     * A row of the answer.
     *
     * @param outcome empty if no lease ran when the statement began; whether this one got the lock is then in another row
     * @param lastFence the greatest token spent, if the outcome is empty
     */
    private record Answer(Optional<Acquisition> outcome, long lastFence) {

        static Answer read(AcquireRequest request, ResultSet row) throws SQLException {
            if (row.getBoolean("granted")) {
                return new Answer(Optional.of(new Granted(ROWS.grant(request.key(), row))), 0);
            }
            if (!row.getBoolean("runs")) {
                return new Answer(Optional.empty(), row.getLong("last_fence"));
            }
            return new Answer(Optional.of(LockRows.answer(request, ROWS.lease(request.key(), row))), 0);
        }
    }
}
