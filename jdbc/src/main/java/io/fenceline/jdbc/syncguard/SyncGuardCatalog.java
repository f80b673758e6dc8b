package io.fenceline.jdbc.syncguard;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.internal.syncguard.StorageNames;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Lists leases in SyncGuard's tables and puts things right by hand. Theirs has no table for an audit record, so what operators did
 * is logged here.
 */
final class SyncGuardCatalog implements LockCatalog {

    private static final Logger LOGGER = System.getLogger(SyncGuardCatalog.class.getName());

    private static final String LIST = """
            SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
              FROM syncguard_locks AS lock, (SELECT %s) AS clock (now)
             WHERE starts_with(lock.user_key, ?1::text) AND lock.expires_at_ms > clock.now - 1000
             ORDER BY lock.user_key COLLATE "C" LIMIT ?2""".formatted(Batch.NOW);

    private static final String LAST = """
            SELECT fence FROM syncguard_fence_counters WHERE fence_key = ?1::text AND fence > 0""";

    private static final String RAISE = Batch.KEY_LOCKED + """
            INSERT INTO syncguard_fence_counters AS counter (fence_key, fence, key_debug)
            VALUES (?3::text, ?4::bigint, ?1::text)
            ON CONFLICT (fence_key) DO UPDATE SET fence = greatest(counter.fence, excluded.fence)
            RETURNING counter.fence""";

    private static final String FORCE_RELEASE = Batch.KEY_LOCKED + """
            SELECT key FROM syncguard_locks WHERE key = ?1::text FOR UPDATE;
            WITH running AS MATERIALIZED (
                SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
                  FROM syncguard_locks AS lock, (SELECT %s) AS clock (now)
                 WHERE lock.key = ?1::text AND lock.expires_at_ms > clock.now - 1000
            ), spent AS (
                INSERT INTO syncguard_fence_counters AS counter (fence_key, fence, key_debug)
                SELECT ?3::text, running.fence::bigint + 1, running.user_key FROM running
                ON CONFLICT (fence_key) DO UPDATE SET fence = counter.fence + 1 WHERE counter.fence < 900000000000000
                RETURNING counter.fence
            ), ended AS (
                DELETE FROM syncguard_locks AS lock USING spent WHERE lock.key = ?1::text
            )
            SELECT running.*, spent.fence IS NOT NULL AS has_ended
              FROM running LEFT JOIN spent ON true""".formatted(Batch.NOW);

    private static final StorageNames NAMES = StorageNames.onPostgres();

    private final LockStore store;
    private final Sql list;
    private final Sql last;
    private final Batch raise;
    private final Batch forceRelease;

    SyncGuardCatalog(LockStore store, SyncGuardTables tables) {
        this.store = store;
        this.list = new Sql(tables.in(LIST));
        this.last = new Sql(tables.in(LAST));
        this.raise = new Batch(tables.in(RAISE));
        this.forceRelease = new Batch(tables.in(FORCE_RELEASE));
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        return store
                .database()
                .read(connection -> list.readable(connection, SyncGuardRows::lease, LockKey.prefix(prefix), limit))
                .stream()
                .map(lease -> lease.record(store.redaction()))
                .toList();
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return store.database()
                .read(connection -> last.one(connection, SyncGuardCatalog::token, NAMES.fence(key.value())));
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        FencingToken now = store.database()
                .change(connection -> raise.run(
                        connection,
                        SyncGuardCatalog::token,
                        NAMES.lock(key.value()),
                        Batch.lockTimeout(store),
                        NAMES.fence(key.value()),
                        atLeast.value()))
                .orElseThrow();
        LOGGER.log(Level.INFO, () -> by + " raised the token of lock '" + key + "' to " + atLeast + "; it is " + now);
        return now;
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        Optional<Ended> ended = store.database()
                .change(connection -> forceRelease.run(
                        connection,
                        Ended::read,
                        NAMES.lock(key.value()),
                        Batch.lockTimeout(store),
                        NAMES.fence(key.value())));
        if (ended.isPresent() && !ended.get().hasEnded()) {
            throw Checks.noTokenLeft(key);
        }
        Optional<LockRecord> record = ended.map(lease -> lease.lease().record(store.redaction()));
        record.ifPresent(lease -> LOGGER.log(
                Level.INFO, () -> by + " ended the lease of lock '" + key + "' that had token " + lease.token()));
        return record;
    }

    @Override
    public boolean keepsRecords() {
        return false;
    }

    private static FencingToken token(ResultSet row) throws SQLException {
        return SyncGuardRows.capped(row.getLong("fence"));
    }

    private record Ended(RunningLease lease, boolean hasEnded) {
        static Ended read(ResultSet row) throws SQLException {
            return new Ended(SyncGuardRows.lease(row), row.getBoolean("has_ended"));
        }
    }
}
