package io.fenceline.jdbc.syncguard;

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

    final SharedTables tables = SharedTables.borrow();
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();

    @Override
    public LockBackend open() {
        return open(source());
    }

    LockBackend open(DataSource source) {
        LockBackend backend = JdbcLockBackend.on(source, options());
        open.add(backend);
        return backend;
    }

    DataSource source() {
        return tables.pool();
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
    public int cycles() {
        return 10;
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
    }
}
