package io.fenceline.jdbc.syncguard;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.LockSchema;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** Tables that are shared with SyncGuard, on a server whose clock is moved by hand. */
class SyncGuardFixture implements BackendFixture {

    /** SyncGuard's tolerance. */
    static final Duration GRACE = Duration.ofSeconds(1);

    final SharedTables tables = new SharedTables();
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

    @Override
    public LockBackend open() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(source());
        pool.setMinimumIdle(0);
        pool.setMaximumPoolSize(8);
        pool.setConnectionTimeout(2_000);
        pools.add(pool);
        LockBackend backend = JdbcLockBackend.on(pool, options());
        open.add(backend);
        return backend;
    }

    DataSource source() {
        return tables.source();
    }

    static JdbcOptions options() {
        return JdbcOptions.defaults()
                .withSchema(LockSchema.syncGuard("syncguard_locks", "syncguard_fence_counters"))
                .withAnswerLimit(Duration.ofSeconds(5));
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public boolean keepsHolder() {
        return false;
    }

    @Override
    public Duration grace() {
        return GRACE;
    }

    @Override
    public void passTime(Duration time) {
        tables.passTime(time);
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of("fence:" + key, "fence:fence:" + key, lockId.text(), "id:" + lockId.text());
    }

    @Override
    public void restart() {
        closeAll();
    }

    @Override
    public void close() {
        closeAll();
        tables.close();
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }
}
