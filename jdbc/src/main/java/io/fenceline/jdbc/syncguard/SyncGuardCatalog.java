package io.fenceline.jdbc.syncguard;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.StorageNames;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.TableLockCatalog;
import io.fenceline.jdbc.sql.Batch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Lists leases and puts things right by hand in SyncGuard's tables. They have no table for records, so those go to the log. */
final class SyncGuardCatalog extends TableLockCatalog {

    private static final Logger LOGGER = System.getLogger(SyncGuardCatalog.class.getName());
    private static final StorageNames NAMES = StorageNames.onPostgres();

    private final String lockTimeout;
    private final Batch raise;
    private final Batch forceRelease;

    SyncGuardCatalog(LockStore store, SyncGuardTables tables) {
        super(
                store,
                SyncGuardRows::lease,
                row -> LockKey.of(row.getString("lock_key")),
                prefix -> prefix,
                key -> NAMES.fence(key.value()),
                SyncGuardLocks.SQL.with(tables::in));
        this.lockTimeout = SyncGuardLocks.lockTimeout(store);
        this.raise = new Batch(SyncGuardLocks.SQL.with(tables::in).text("raise"));
        this.forceRelease = new Batch(SyncGuardLocks.SQL.with(tables::in).text("force_release"));
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        FencingToken now = raise.run(
                        connection,
                        TableLockCatalog::token,
                        NAMES.lock(key.value()),
                        lockTimeout,
                        NAMES.fence(key.value()),
                        atLeast.value())
                .orElseThrow();
        LOGGER.log(Level.INFO, () -> by + " raised the token of lock '" + key + "' to " + atLeast + "; it is " + now);
        return now;
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        Optional<Ended> ended = forceRelease.run(
                connection,
                row -> new Ended(SyncGuardRows.lease(row), row.getBoolean("has_ended")),
                NAMES.lock(key.value()),
                lockTimeout,
                NAMES.fence(key.value()));
        ended.filter(Ended::hasEnded)
                .ifPresent(done -> LOGGER.log(
                        Level.INFO,
                        () -> by + " ended the lease of lock '" + key + "' that had token "
                                + done.lease().grant().token()));
        return ended;
    }

    /** {@inheritDoc} The counters are in a table of their own here, and may be missing. */
    @Override
    protected boolean wasGranted(LockKey key) {
        return true;
    }

    @Override
    public boolean keepsRecords() {
        return false;
    }
}
