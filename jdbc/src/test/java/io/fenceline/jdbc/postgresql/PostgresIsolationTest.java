package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Locking at each isolation level that a database, a role or a URL may have as its default. */
@Timeout(120)
class PostgresIsolationTest {

    private static final int THREADS = 8;
    private static final int CYCLES = 15;

    private int count;

    @ParameterizedTest
    @Tag("G1")
    @CsvSource({"read committed, 2", "repeatable read, 2", "serializable, 2", "serializable, 1"})
    void eightThreadsWithBackendsOfTheirOwnCountExactlyAndSeeNoError(String level, int version) throws Exception {
        PostgresServer server = TestServer.shared();
        String schema = version == 1 ? TestServer.borrowSchemaOfVersion1() : TestServer.borrowSchema();
        String table = schema + ".fenceline_lock";
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(server.jdbcUrl("postgres"));
            pool.setConnectionInitSql("SET default_transaction_isolation = '" + level + "'");
            pool.setMaximumPoolSize(2 * THREADS);
            List<LockBackend> backends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                backends.add(JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(table)));
            }

            race(backends);

            backends.forEach(LockBackend::close);
        }
        TestServer.giveBack(schema);
        assertThat(count).isEqualTo(THREADS * CYCLES);
    }

    private void race(List<LockBackend> backends) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Void>> ends = new ArrayList<>();
            for (LockBackend backend : backends) {
                ends.add(threads.submit(() -> {
                    try (Locks locks = Locks.over(backend)) {
                        countUp(locks);
                    }
                    return null;
                }));
            }
            for (Future<Void> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void countUp(Locks locks) throws InterruptedException {
        LockOptions patient = LockOptions.defaults().withMaxWait(Duration.ofMinutes(1));
        for (int i = 0; i < CYCLES; i++) {
            try (Lease lease = locks.acquire("counter", patient)) {
                int before = count;
                Thread.yield();
                lease.ensureHeld();
                count = before + 1;
            }
        }
    }
}
