package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Locking at each isolation level that a server, a pool or a URL may have as its default, without any deadlock. */
@Timeout(120)
class MariaDbIsolationTest {

    private static final int THREADS = 8;
    private static final int CYCLES = 40;

    /** The server answers from what it noted before to those that ask more often than ten times a second. */
    private static final Duration LOOK = Duration.ofMillis(150);

    private static final Duration TTL = Duration.ofMinutes(1);

    private final String database = TestServer.borrowDatabase();
    private final Queue<BackendException> errors = new ConcurrentLinkedQueue<>();
    private volatile long inside;
    private int count;

    @AfterEach
    void giveBack() {
        TestServer.giveBack(database);
    }

    @ParameterizedTest
    @Tag("G1")
    @ValueSource(
            strings = {
                "TRANSACTION_READ_UNCOMMITTED",
                "TRANSACTION_READ_COMMITTED",
                "TRANSACTION_REPEATABLE_READ",
                "TRANSACTION_SERIALIZABLE"
            })
    void eightThreadsCountExactlyAndMakeFreshKeysBesideAndNobodySeesAnError(String level) throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(TestServer.dataSource(TestServer.shared(), database));
            pool.setTransactionIsolation(level);
            pool.setMaximumPoolSize(THREADS);
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<Integer>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
                int number = i;
                ends.add(threads.submit(() -> work(backend, number)));
            }
            int entered = 0;
            for (Future<Integer> end : ends) {
                entered += end.get();
            }
            threads.shutdown();

            assertThat(errors).isEmpty();
            assertThat(inside).isZero();
            assertThat(count).isEqualTo(entered).isPositive();
        }
    }

    @ParameterizedTest
    @Tag("G6")
    @CsvSource({
        "TRANSACTION_READ_COMMITTED, OFF",
        "TRANSACTION_REPEATABLE_READ, OFF",
        "TRANSACTION_REPEATABLE_READ, ON",
        "TRANSACTION_SERIALIZABLE, OFF",
        "TRANSACTION_SERIALIZABLE, ON"
    })
    void aReleaseThatRacesAnExtensionEndsTheLease(String level, String snapshotIsolation) throws Exception {
        MariaDbServer server = TestServer.shared();
        try (HikariDataSource pool = new HikariDataSource();
                Connection other = TestServer.dataSource(server, database).getConnection()) {
            pool.setDataSource(TestServer.dataSource(server, database));
            pool.setTransactionIsolation(level);
            pool.setConnectionInitSql("SET SESSION innodb_snapshot_isolation = " + snapshotIsolation);
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
            LockKey key = LockKey.of("raced");
            LockId id = LockId.random();
            assertThat(backend.acquire(AcquireRequest.of(key, id, TTL, Holder.of("me"))))
                    .isInstanceOf(Granted.class);
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("UPDATE fenceline_lock SET expires_at = expires_at + 60000000");
                FutureTask<Boolean> release = new FutureTask<>(() -> backend.release(key, id));
                new Thread(release).start();
                await().pollInterval(LOOK).until(() -> waiting(statement) > 0);
                other.commit();

                assertThat(release.get(30, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(backend.isLocked(key)).isFalse();
        }
    }

    /** MySQL's manual shows the deadlock: both wait for the row, get a shared lock when it is gone, and both want to insert it. */
    @ParameterizedTest
    @Tag("G1")
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    void whoWaitsForAnInsertionThatIsUndoneSeesNoDeadlock(String level) throws Exception {
        try (HikariDataSource pool = new HikariDataSource();
                Connection other =
                        TestServer.dataSource(TestServer.shared(), database).getConnection();
                Statement statement = other.createStatement()) {
            pool.setDataSource(TestServer.dataSource(TestServer.shared(), database));
            pool.setTransactionIsolation(level);
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
            assertThat(backend.acquire(AcquireRequest.of(LockKey.of("before"), LockId.random(), TTL, Holder.of("me"))))
                    .isInstanceOf(Granted.class);
            LockKey key = LockKey.of("undone");
            other.setAutoCommit(false);
            statement.execute("INSERT INTO fenceline_lock VALUES ('undone', 1, 1, 1, NULL, 'other', 0, 0)");
            List<FutureTask<Acquisition>> attempts = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                attempts.add(new FutureTask<>(
                        () -> backend.acquire(AcquireRequest.of(key, LockId.random(), TTL, Holder.of("me")))));
                new Thread(attempts.get(i)).start();
            }
            FutureTask<FencingToken> raise = new FutureTask<>(() -> backend.ability(LockCatalog.class)
                    .orElseThrow()
                    .raiseToken(key, FencingToken.of(7), Holder.of("operator")));
            new Thread(raise).start();
            await().pollInterval(LOOK).until(() -> waiting(statement) == attempts.size() + 1);
            other.rollback();

            List<Acquisition> answers = new ArrayList<>();
            for (FutureTask<Acquisition> attempt : attempts) {
                answers.add(attempt.get(30, TimeUnit.SECONDS));
            }
            assertThat(raise.get(30, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(FencingToken.of(7));
            assertThat(answers).hasAtLeastOneElementOfType(Granted.class);
            assertThat(answers).filteredOn(Contended.class::isInstance).hasSize(2);
        }
    }

    /** The snapshot of a transaction that has looked before does not have what others made meanwhile. */
    @ParameterizedTest
    @Tag("R12")
    @CsvSource({
        "TRANSACTION_READ_COMMITTED, 3, 7",
        "TRANSACTION_REPEATABLE_READ, 3, 7",
        "TRANSACTION_REPEATABLE_READ, 9, 9"
    })
    void whoRaisesAFenceThatIsJustBeingMadeSeesWhatItHas(String level, long made, long raised) throws Exception {
        try (HikariDataSource pool = new HikariDataSource();
                Connection other =
                        TestServer.dataSource(TestServer.shared(), database).getConnection();
                Statement statement = other.createStatement()) {
            pool.setDataSource(TestServer.dataSource(TestServer.shared(), database));
            pool.setTransactionIsolation(level);
            FenceCatalog fences = JdbcLockBackend.on(pool, JdbcOptions.defaults())
                    .ability(FenceCatalog.class)
                    .orElseThrow();
            FenceStamp seven = new FenceStamp(LockKey.of("lock"), FencingToken.of(7));
            assertThat(fences.raise("before", seven, Holder.of("operator")).highest())
                    .isEqualTo(seven.token());
            other.setAutoCommit(false);
            statement.execute("INSERT INTO fenceline_fences VALUES ('raised', 'lock', " + made + ", 0, 0)");
            FutureTask<Fence> raise = new FutureTask<>(() -> fences.raise("raised", seven, Holder.of("operator")));
            new Thread(raise).start();
            await().pollInterval(LOOK).until(() -> waiting(statement) > 0);
            other.commit();

            assertThat(raise.get(30, TimeUnit.SECONDS).highest()).isEqualTo(FencingToken.of(raised));
            try (ResultSet records = statement.executeQuery(
                    "SELECT highest_before FROM fenceline_fences_audit WHERE resource = 'raised'")) {
                assertThat(records.next()).isEqualTo(raised != made);
                if (raised != made) {
                    assertThat(records.getLong(1)).isEqualTo(made);
                }
            }
        }
    }

    private static int waiting(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Fresh keys beside one another are where gaps between rows would be locked. */
    private int work(LockBackend backend, int number) {
        int entered = 0;
        for (int i = 0; i < CYCLES; i++) {
            try {
                LockKey fresh = LockKey.of(String.format("fresh %03d %d", i, number));
                assertThat(backend.acquire(AcquireRequest.of(fresh, LockId.random(), TTL, Holder.of("me"))))
                        .isInstanceOf(Granted.class);
                LockId id = LockId.random();
                LockKey hot = LockKey.of("hot");
                if (backend.acquire(AcquireRequest.of(hot, id, TTL, Holder.of("me"))) instanceof Granted) {
                    assertThat(inside++).isZero();
                    count++;
                    entered++;
                    inside--;
                    assertThat(backend.release(hot, id)).isTrue();
                }
            } catch (BackendException e) {
                errors.add(e);
            }
        }
        return entered;
    }
}
