package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RowConflict;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.dialect.SuccessionStatement;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Checks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Passes a lock on within a process, in one statement that waits for the disk once. */
final class PostgresSuccession implements SuccessionStatement {

    /**
     * The row is passed on unless others wait and shall come first; then it is freed, and they are notified. They show themselves
     * by the advisory lock that waiters share, see {@link SignalConnection}; our own listener shares it as well, and does not
     * count.
     */
    private static final String SUCCEED = """
            WITH others AS MATERIALIZED (
                SELECT count(*)::int AS number
                  FROM pg_locks
                 WHERE ?8::boolean AND locktype = 'advisory' AND objsubid = 1 AND pid <> ?11::int
                   AND classid = ((?9::bigint >> 32) & 4294967295)::oid AND objid = (?9::bigint & 4294967295)::oid
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            ), passed AS (
                UPDATE fenceline_lock AS lock
                   SET last_fence = lock.last_fence + ?4::int, fence = lock.last_fence + 1, tokens = ?4::int,
                       lock_id = ?3::text, holder = ?5::text,
                       (acquired_at, expires_at) = (
                           SELECT clock.now, clock.now + ?6::bigint * interval '1 millisecond'
                             FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
                 WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text AND lock.last_fence <= 900000000000000 - ?4::int
                   AND (SELECT number FROM others) = 0
                   AND CASE WHEN lock.expires_at > clock_timestamp()
                            THEN set_config('lock_timeout', ?7::text, true) IS NOT NULL
                       END
                RETURNING lock.fence, lock.acquired_at, lock.expires_at, 0 AS others, lock.last_fence
            ), yielded AS (
                UPDATE fenceline_lock AS lock
                   SET lock_id = NULL
                 WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text AND lock.last_fence <= 900000000000000 - ?4::int
                   AND (SELECT number FROM others) > 0
                   AND CASE WHEN lock.expires_at > clock_timestamp()
                            THEN set_config('lock_timeout', ?7::text, true) IS NOT NULL
                                 AND set_config('synchronous_commit', 'off', true) IS NOT NULL
                       END
                RETURNING pg_notify(?10::text, ?11::text), lock.last_fence
            )
            SELECT * FROM passed
            UNION ALL
            SELECT 0, NULL, NULL, others.number, yielded.last_fence FROM yielded, others""";

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
    public Outcome succeed(Connection connection, LockId last, AcquireRequest next, boolean yielding, int listener)
            throws SQLException {
        SignalId signal = SignalId.of(store.table(), next.key());
        Optional<Outcome> outcome = RowConflict.retried(
                connection,
                PostgresLocks::isConflict,
                same -> succeed.one(
                        same,
                        row -> outcome(next, row),
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
        if (outcome.isPresent()) {
            return outcome.get();
        }
        // The lease was over, or no token is left.
        standing.one(connection, row -> row.getLong(1), next.key().value(), last.text())
                .ifPresent(lastFence -> Checks.tokensLeft(next, lastFence));
        return new Outcome(false, locks.acquire(connection, next));
    }

    private static Outcome outcome(AcquireRequest next, ResultSet row) throws SQLException {
        long fence = row.getLong("fence");
        if (fence == 0) {
            return new Outcome(true, Optional.empty(), row.getInt("others"), row.getLong("last_fence"));
        }
        return new Outcome(
                true,
                new Acquisition.Granted(new Grant(
                        next.key(),
                        next.lockId(),
                        next.holder(),
                        FencingToken.of(fence),
                        next.tokens(),
                        PostgresLocks.ROWS.time(row, "acquired_at"),
                        PostgresLocks.ROWS.time(row, "expires_at"))));
    }
}
