package io.fenceline.jdbc.postgresql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Locking in single statements. All settings are made with {@code set_config(…, true)} within the statement that needs them and
 * end with it, so that connections may be shared behind a transaction-mode pooler.
 */
final class PostgresLocks implements LockStatements {

    /**
     * {@code seen} is the row as it was when the statement began. Only if no lease runs there does the statement try to write.
     *
     * <p>It then waits for its twins, requests under the same lock id that are still on their way to an answer: whoever is
     * refused may rely on it that its id was not granted before it asked. And it takes part only if no other writes at this
     * moment: the {@code turn} is tried and not waited for. Without it each of many contenders would wait for the one before
     * it to reach the disk, only to be refused.
     *
     * <p>The row is judged again when it is updated, and a changed row is judged as changed; both times are read then, once.
     * A row that is unknown is inserted; if another was faster, nothing happens.
     */
    private static final String ACQUIRE = """
            WITH asked AS MATERIALIZED (
                SELECT ?::text COLLATE "C" AS lock_key, ?::text COLLATE "C" AS lock_id, ?::integer AS tokens, ?::text AS holder,
                       ?::bigint * interval '1 millisecond' AS ttl, set_config('lock_timeout', ?, true)
            ), seen AS MATERIALIZED (
                SELECT lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at,
                       lock.last_fence, clock.now, lock.lock_id IS NOT NULL AND lock.expires_at > clock.now AS runs
                  FROM asked, fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
                 WHERE lock.lock_key = asked.lock_key
            ), twins AS MATERIALIZED (
                SELECT pg_advisory_xact_lock(
                           hashtextextended(asked.lock_id, - 'fenceline_lock'::regclass::oid::bigint)) AS awaited
                  FROM asked
                 WHERE NOT EXISTS (SELECT FROM seen WHERE seen.runs)
            ), turn AS MATERIALIZED (
                SELECT pg_try_advisory_xact_lock(
                           hashtextextended(asked.lock_key, 'fenceline_lock'::regclass::oid::bigint)) AS mine
                  FROM asked, twins
            ), updated AS (
                UPDATE fenceline_lock AS lock
                   SET last_fence = lock.last_fence + asked.tokens, fence = lock.last_fence + 1, tokens = asked.tokens,
                       lock_id = asked.lock_id, holder = asked.holder,
                       (acquired_at, expires_at) = (
                           SELECT clock.now, clock.now + asked.ttl
                             FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
                  FROM asked, turn
                 WHERE turn.mine AND lock.lock_key = asked.lock_key
                   AND (lock.lock_id IS NULL OR lock.expires_at <= clock_timestamp())
                   AND lock.last_fence <= 900000000000000 - asked.tokens
                RETURNING lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at
            ), inserted AS (
                INSERT INTO fenceline_lock AS lock
                       (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
                SELECT asked.lock_key, asked.tokens, 1, asked.tokens, asked.lock_id, asked.holder,
                       clock.now, clock.now + asked.ttl
                  FROM asked, turn, (SELECT clock_timestamp()) AS clock (now)
                 WHERE turn.mine AND NOT EXISTS (SELECT FROM seen)
                ON CONFLICT (lock_key) DO NOTHING
                RETURNING lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at
            )
            SELECT true AS granted, *, 0 AS last_fence, acquired_at AS now, true AS runs FROM updated
            UNION ALL
            SELECT true, *, 0, acquired_at, true FROM inserted
            UNION ALL
            SELECT false, * FROM seen""";

    private static final String EXTEND = """
            WITH asked AS MATERIALIZED (
                SELECT ?::text COLLATE "C" AS lock_key, ?::text COLLATE "C" AS lock_id, ?::bigint * interval '1 millisecond' AS ttl,
                       set_config('lock_timeout', ?, true)
            )
            UPDATE fenceline_lock AS lock
               SET expires_at = clock_timestamp() + asked.ttl
              FROM asked
             WHERE lock.lock_key = asked.lock_key AND lock.lock_id = asked.lock_id
               AND lock.expires_at > clock_timestamp()
            RETURNING lock.expires_at""";

    /**
     * Does not wait for the disk: if the server dies before the release is written, the lease runs to its end. The next grant is
     * written after it and waited for.
     *
     * <p>Waiters share an advisory lock on their connections for signals. Only if it cannot be had alone does anybody wait, and
     * is notified. It is released with the statement.
     */
    private static final String RELEASE = """
            WITH asked AS MATERIALIZED (
                SELECT ?::text COLLATE "C" AS lock_key, ?::text COLLATE "C" AS lock_id, ?::bigint AS waiters,
                       ?::text AS channel,
                       set_config('synchronous_commit', 'off', true), set_config('lock_timeout', ?, true)
            ), released AS (
                UPDATE fenceline_lock AS lock
                   SET lock_id = NULL
                  FROM asked
                 WHERE lock.lock_key = asked.lock_key AND lock.lock_id = asked.lock_id
                   AND lock.expires_at > clock_timestamp()
                RETURNING asked.waiters, asked.channel
            )
            SELECT CASE WHEN pg_try_advisory_xact_lock(waiters) THEN '' ELSE pg_notify(channel, '')::text END
              FROM released""";

    private static final String RUNNING = """
            SELECT lock.*, clock.now
              FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
             WHERE lock.%s = ? AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now""";

    private static final String CONFLICT = "40001";

    private final Sql acquire;
    private final Sql extend;
    private final Sql release;
    private final Sql ofKey;
    private final Sql ofId;
    private final LockTable table;
    private final String lockTimeout;

    PostgresLocks(LockStore store) {
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
                    lockTimeout);
            Optional<Acquisition> outcome = answers.stream()
                    .flatMap(answer -> answer.outcome().stream())
                    .findFirst();
            if (outcome.isPresent()) {
                return outcome.get();
            }
            answers.forEach(answer -> ensureTokensLeft(request, answer.lastFence()));
        } catch (SQLException e) {
            // Stricter isolation levels refuse to judge a row that has changed.
            if (CONFLICT.equals(e.getSQLState())) {
                return standing(connection, request).orElseThrow(() -> e);
            }
            throw e;
        }
        // The lock was free and another was faster, perhaps so much so that what it was granted cannot be seen yet.
        return standing(connection, request).orElse(new Contended(Duration.ZERO, Optional.empty()));
    }

    /** Looks again: a statement sees nothing of what was committed after it began. */
    private Optional<Acquisition> standing(Connection connection, AcquireRequest request) throws SQLException {
        return running(connection, request.key()).map(lease -> answered(request, lease));
    }

    private static Acquisition answered(AcquireRequest request, RunningLease lease) {
        return lease.grant().lockId().equals(request.lockId())
                ? new Granted(lease.grant())
                : new Contended(lease.remaining(), Optional.of(lease.grant().holder()));
    }

    private static void ensureTokensLeft(AcquireRequest request, long last) {
        if (last > FencingToken.MAX_VALUE - request.tokens()) {
            throw new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "the fencing tokens of lock '" + request.key() + "' are used up: the last was " + last + ", "
                            + request.tokens() + " more were asked for",
                    null);
        }
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return extend.one(
                connection,
                row -> PostgresRows.time(row, "expires_at"),
                key.value(),
                lockId.text(),
                ttlMillis,
                lockTimeout);
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        SignalId signal = SignalId.of(table, key);
        return release.one(
                        connection,
                        row -> true,
                        key.value(),
                        lockId.text(),
                        signal.number(),
                        signal.channel(),
                        lockTimeout)
                .isPresent();
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException {
        return ofKey.one(connection, PostgresRows::lease, key.value());
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException {
        return ofId.one(connection, PostgresRows::lease, lockId.text());
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
                return new Answer(Optional.of(new Granted(PostgresRows.grant(request.key(), row))), 0);
            }
            if (!row.getBoolean("runs")) {
                return new Answer(Optional.empty(), row.getLong("last_fence"));
            }
            return new Answer(Optional.of(answered(request, PostgresRows.lease(request.key(), row))), 0);
        }
    }
}
