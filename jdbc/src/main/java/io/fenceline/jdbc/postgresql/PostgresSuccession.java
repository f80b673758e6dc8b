package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RowConflict;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.dialect.SuccessionStatement;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Grant;
import io.fenceline.spi.Succession.Turnover;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Passes a lock on within a process, in one statement that waits for the disk once. */
final class PostgresSuccession implements SuccessionStatement {

    /** What a process that has had its share leaves the others to come: some round trips. */
    private static final Duration TIME_TO_COME = Duration.ofMillis(5);

    /**
     * The row is passed on unless others wait and shall come first; then it is freed, and they are notified. They show themselves
     * by the advisory lock that waiters share, see {@link SignalConnection}; our own listener shares it as well, and does not
     * count.
     */
    private static final String SUCCEED = """
            WITH others AS MATERIALIZED (
                SELECT ?8::boolean AND EXISTS (
                           SELECT FROM pg_locks
                            WHERE locktype = 'advisory' AND objsubid = 1 AND pid <> ?11::int
                              AND classid = ((?9::bigint >> 32) & 4294967295)::oid AND objid = (?9::bigint & 4294967295)::oid
                              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS wait
            ), passed AS (
                UPDATE fenceline_lock AS lock
                   SET last_fence = lock.last_fence + ?4::int, fence = lock.last_fence + 1, tokens = ?4::int,
                       lock_id = ?3::text, holder = ?5::text,
                       (acquired_at, expires_at) = (
                           SELECT clock.now, clock.now + ?6::bigint * interval '1 millisecond'
                             FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
                 WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text AND lock.last_fence <= 900000000000000 - ?4::int
                   AND NOT (SELECT wait FROM others)
                   AND CASE WHEN lock.expires_at > clock_timestamp()
                            THEN set_config('lock_timeout', ?7::text, true) IS NOT NULL
                       END
                RETURNING lock.fence, lock.acquired_at, lock.expires_at
            ), yielded AS (
                UPDATE fenceline_lock AS lock
                   SET lock_id = NULL
                 WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text AND lock.last_fence <= 900000000000000 - ?4::int
                   AND (SELECT wait FROM others)
                   AND CASE WHEN lock.expires_at > clock_timestamp()
                            THEN set_config('lock_timeout', ?7::text, true) IS NOT NULL
                                 AND set_config('synchronous_commit', 'off', true) IS NOT NULL
                       END
                RETURNING pg_notify(?10::text, ?11::text)
            )
            SELECT fence, acquired_at, expires_at FROM passed
            UNION ALL
            SELECT 0, NULL, NULL FROM yielded""";

    private static final String STANDING = """
            SELECT last_fence
              FROM fenceline_lock
             WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at > clock_timestamp()""";

    private final PostgresLocks locks;
    private final LockStore store;
    private final Sql succeed;
    private final Sql standing;

    PostgresSuccession(LockStore store) {
        this.locks = new PostgresLocks(store);
        this.store = store;
        this.succeed = new Sql(store.table().in(SUCCEED));
        this.standing = new Sql(store.table().in(STANDING));
    }

    @Override
    public Turnover succeed(Connection connection, LockId last, AcquireRequest next, boolean yielding, int listener)
            throws SQLException {
        SignalId signal = SignalId.of(store.table(), next.key());
        Optional<Turnover> turnover = RowConflict.retried(
                connection,
                PostgresLocks::isConflict,
                same -> succeed.one(
                        same,
                        row -> new Turnover(true, outcome(next, row)),
                        next.key().value(),
                        last.text(),
                        next.lockId().text(),
                        next.tokens(),
                        next.holder().text(),
                        next.ttlMillis(),
                        store.lockTimeout(),
                        yielding,
                        signal.number(),
                        signal.channel(),
                        listener));
        if (turnover.isPresent()) {
            return turnover.get();
        }
        // The lease was over, or no token is left.
        standing.one(connection, row -> row.getLong(1), next.key().value(), last.text())
                .ifPresent(lastFence -> PostgresLocks.ensureTokensLeft(next, lastFence));
        return new Turnover(false, locks.acquire(connection, next));
    }

    private static Acquisition outcome(AcquireRequest next, ResultSet row) throws SQLException {
        long fence = row.getLong("fence");
        if (fence == 0) {
            return new Acquisition.Contended(TIME_TO_COME, Optional.empty());
        }
        return new Acquisition.Granted(new Grant(
                next.key(),
                next.lockId(),
                next.holder(),
                FencingToken.of(fence),
                next.tokens(),
                PostgresRows.time(row, "acquired_at"),
                PostgresRows.time(row, "expires_at")));
    }
}
