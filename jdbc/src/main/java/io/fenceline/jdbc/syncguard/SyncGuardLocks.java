package io.fenceline.jdbc.syncguard;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.StorageNames;
import io.fenceline.jdbc.product.LockStatements;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.RunningLease;
import io.fenceline.jdbc.sql.Batch;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Locking in SyncGuard's tables, by its rules, each operation a {@link Batch}.
 *
 * <p>Lock order: the advisory lock of the key, then the row of the lock, then that of the counter, which nobody touches without the
 * first. SyncGuard's acquire has the same advisory lock; its extension and release only lock the row, of a lock id they know.
 *
 * <p>Where SyncGuard errs we do not: the clock is read when the locks are obtained and not when the transaction began; a row that
 * looks dead is judged again as it is once nobody else is changing it; an extension takes the advisory lock, so that an acquire of
 * SyncGuard, which does not lock the row it looks at, sees it; whoever waits for a lock gives up; tokens that are used up are
 * noticed before anything is written.
 */
final class SyncGuardLocks implements LockStatements {

    static final SqlFile SQL = SqlFile.of(SyncGuardLocks.class, "statements.sql");

    private static final StorageNames NAMES = StorageNames.onPostgres();

    private final Batch acquire;
    private final Batch extend;
    private final Batch release;
    private final Batch releaseAfter;
    private final Sql ofKey;
    private final Sql ofId;
    private final LockStore store;
    private final String lockTimeout;
    private final String rowTimeout;

    SyncGuardLocks(LockStore store, SyncGuardTables tables) {
        SqlFile sql = SQL.with(tables::in);
        this.acquire = new Batch(sql.text("acquire"));
        this.extend = new Batch(sql.text("extend"));
        this.release = new Batch(sql.text("release"));
        this.releaseAfter = new Batch(sql.text("release_after"));
        this.ofKey = sql.sql("running");
        this.ofId = sql.sql("running_id");
        this.store = store;
        this.lockTimeout = lockTimeout(store);
        this.rowTimeout = store.lockTimeout();
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        String key = request.key().value();
        return acquire.run(
                        connection,
                        row -> outcome(request, row),
                        NAMES.lock(key),
                        lockTimeout(store.limit(request.timeout())),
                        NAMES.fence(key),
                        request.lockId().text(),
                        request.ttlMillis(),
                        key,
                        request.tokens())
                .orElseThrow();
    }

    private static Acquisition outcome(AcquireRequest request, ResultSet row) throws SQLException {
        String lockId = row.getString("lock_id");
        if (lockId == null) {
            Checks.tokensLeft(request, row.getLong("last_fence"));
            return new Contended(Duration.ZERO, Optional.empty());
        }
        return lockId.equals(request.lockId().text())
                ? new Granted(SyncGuardRows.grant(request, row))
                : new Contended(Duration.ofMillis(row.getLong("remaining_ms")), Optional.empty());
    }

    /**
     * Returns how long a batch with {@code key_locked} waits for each lock: it waits for two, that of the key and that of a row, and must
     * have given up before its caller does, or it could grant a lock that nobody knows of.
     */
    static String lockTimeout(LockStore store) {
        return lockTimeout(store.answerLimit());
    }

    /** The same for an operation with a limit of its own. */
    private static String lockTimeout(Duration limit) {
        return Math.max(1, limit.toMillis() * 2 / 5) + "ms";
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return extend.run(
                connection,
                row -> Instant.ofEpochMilli(row.getLong("expires_at_ms")),
                NAMES.lock(key.value()),
                lockTimeout(store.extensionLimit(ttlMillis)),
                lockId.text(),
                ttlMillis);
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        return release.run(connection, row -> true, NAMES.lock(key.value()), rowTimeout, lockId.text())
                .isPresent();
    }

    @Override
    public boolean releaseAfter(Connection connection, LockKey key, LockId lockId, long restMillis)
            throws SQLException {
        return releaseAfter
                .run(connection, row -> true, NAMES.lock(key.value()), lockTimeout, lockId.text(), restMillis)
                .isPresent();
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException {
        return ofKey.one(connection, SyncGuardRows::lease, NAMES.lock(key.value()));
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException {
        return ofId.one(connection, SyncGuardRows::lease, lockId.text());
    }
}
