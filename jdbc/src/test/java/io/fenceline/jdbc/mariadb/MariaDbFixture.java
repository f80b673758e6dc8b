package io.fenceline.jdbc.mariadb;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.OutageFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A database of its own on the server that all tests share. */
class MariaDbFixture implements OutageFixture {

    private final MariaDbServer server = TestServer.shared();
    private final String database = TestServer.borrowDatabase();
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

    @Override
    public LockBackend open() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(TestServer.dataSource(server, database));
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(2_000);
        pools.add(pool);
        LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults().withAnswerLimit(answerLimit()));
        open.add(backend);
        return backend;
    }

    Duration answerLimit() {
        return Duration.ofSeconds(5);
    }

    String database() {
        return database;
    }

    MariaDbServer server() {
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
    public void killStore() {
        server.kill();
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
        TestServer.giveBack(database);
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }
}
