package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.Succession;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Locking at each isolation level that a database, a role or a URL may have as its default. */
@Timeout(120)
class PostgresIsolationTest {

    private static final int THREADS = 8;
    private static final int CYCLES = 15;
    private static final Duration TTL = Duration.ofMinutes(5);

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

    /** PostgreSQL reads so small a table as a whole, and then a serializable statement depends on all its rows. */
    @ParameterizedTest
    @Tag("G1")
    @ValueSource(ints = {2, 1})
    void operationsOnDifferentLocksDoNotConflictWhereTransactionsAreSerializable(int version) throws Exception {
        PostgresServer server = TestServer.shared();
        String schema = version == 1 ? TestServer.borrowSchemaOfVersion1() : TestServer.borrowSchema();
        String table = schema + ".fenceline_lock";
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(server.jdbcUrl("postgres"));
            pool.setConnectionInitSql("SET default_transaction_isolation = 'serializable'");
            pool.setMaximumPoolSize(2 * THREADS);
            LockBackend backend =
                    JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(table));
            List<LockKey> keys = IntStream.range(0, THREADS)
                    .mapToObj(i -> LockKey.of("invoice:" + i))
                    .toList();
            for (LockKey key : keys) {
                cycle(backend, key);
            }
            try (Connection other = pool.getConnection();
                    Statement statement = other.createStatement()) {
                statement.execute("ANALYZE " + table);
                other.setAutoCommit(false);
                statement.execute("SELECT count(*) FROM " + table);

                inThreads(keys, key -> {
                    for (int i = 0; i < 10 * CYCLES; i++) {
                        cycle(backend, key);
                    }
                });

                other.rollback();
            }
            backend.close();
        }
        TestServer.giveBack(schema);
    }

    /** Each but the first waits for another to make them, and then has to see them. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void tablesAreMadeByManyProcessesAtATime(String level) throws Exception {
        for (int round = 0; round < 5; round++) {
            String schema = TestServer.newSchema(TestServer.shared());
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setJdbcUrl(TestServer.shared().jdbcUrl("postgres"));
                pool.setConnectionInitSql("SET default_transaction_isolation = '" + level + "'");
                LockBackend backend =
                        JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(schema + ".fenceline_lock"));
                SchemaControl tables = backend.ability(SchemaControl.class).orElseThrow();

                inThreads(Collections.nCopies(THREADS, tables), SchemaControl::installSchema);

                assertThat(tables.schemaProblems()).isEmpty();
            }
        }
    }

    private static void cycle(LockBackend backend, LockKey key) {
        LockId first = LockId.random();
        LockId second = LockId.random();
        assertThat(backend.acquire(request(key, first))).isInstanceOf(Granted.class);
        assertThat(backend.extend(key, first, TTL)).isPresent();
        Succession succession = backend.ability(Succession.class).orElseThrow();
        assertThat(succession.succeed(first, request(key, second), false).outcome())
                .isInstanceOf(Granted.class);
        assertThat(backend.isLocked(key)).isTrue();
        assertThat(backend.release(key, second)).isTrue();
    }

    private static AcquireRequest request(LockKey key, LockId id) {
        return AcquireRequest.of(key, id, TTL, Holder.of("me"));
    }

    private void race(List<LockBackend> backends) throws Exception {
        inThreads(backends, backend -> {
            try (Locks locks = Locks.over(backend)) {
                countUp(locks);
            }
        });
    }

    private static <T> void inThreads(List<T> parts, Work<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(parts.size());
        try {
            List<Future<Void>> ends = new ArrayList<>();
            for (T part : parts) {
                ends.add(threads.submit(() -> {
                    work.on(part);
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

    private interface Work<T> {
        void on(T part) throws Exception;
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
