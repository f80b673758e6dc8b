package io.fenceline.jdbc.postgresql;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.OutageFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A schema of its own on the server that all tests share. */
class PostgresFixture implements OutageFixture {

    private final PostgresServer server = TestServer.shared();
    private final String schema;
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

    PostgresFixture() {
        this(TestServer.borrowSchema());
    }

    PostgresFixture(String schema) {
        this.schema = schema;
    }

    @Override
    public LockBackend open() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(TestServer.dataSource(server));
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(2_000);
        pools.add(pool);
        LockBackend backend = JdbcLockBackend.on(
                pool, JdbcOptions.defaults().withTable(table()).withAnswerLimit(answerLimit()));
        open.add(backend);
        return backend;
    }

    Duration answerLimit() {
        return Duration.ofSeconds(5);
    }

    String table() {
        return schema + ".fenceline_lock";
    }

    PostgresServer server() {
        return server;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of("fenceline_lock", "fenceline_lock_audit", lockId.text(), key.value() + "\u0001");
    }

    @Override
    public void restart() {
        closeAll();
        server.stop();
        server.startAgain();
    }

    @Override
    public void stopStore() {
        server.stop();
    }

    @Override
    public void startStore() {
        server.startAgain();
    }

    @Override
    public void close() {
        closeAll();
        if (!server.isRunning()) {
            server.startAgain();
        }
        TestServer.giveBack(schema);
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }
}
