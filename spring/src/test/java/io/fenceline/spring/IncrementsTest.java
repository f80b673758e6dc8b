package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Backends;
import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.JvmCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Two processes that increment a number in a locked and transactional method, and read it before they write it. */
class IncrementsTest {

    @Test
    void loseNothingOnPostgresql() throws Exception {
        String data = TestDatabase.POSTGRESQL.newGuardedUrl();

        assertThat(increment(TestDatabase.postgres().uri(TestDatabase.postgres().newDatabase()), data))
                .isEqualTo(100);
    }

    @Test
    void loseNothingOnMariadb() throws Exception {
        String data = TestDatabase.MARIADB.newGuardedUrl();

        assertThat(increment(data.replaceFirst("^jdbc:", ""), data)).isEqualTo(100);
    }

    @Test
    void loseNothingOnRedis() throws Exception {
        try (RedisServer redis = RedisServer.start(RedisSettings.inMemory())) {
            assertThat(increment(redis.uri(), TestDatabase.POSTGRESQL.newGuardedUrl()))
                    .isEqualTo(100);
        }
    }

    /** The order that the annotation prevents: what others read then is older than the lock. */
    @Test
    void wouldLoseSomeIfTheLockWereReleasedBeforeTheCommit() throws Exception {
        try (HikariDataSource source =
                        TestDatabase.pool(TestDatabase.POSTGRESQL.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
                Locks locks = Locks.open("memory:")) {
            JdbcTemplate jdbc = new JdbcTemplate(source);
            TransactionTemplate transactions = new TransactionTemplate(new JdbcTransactionManager(source));
            Counter.create(jdbc);
            CountDownLatch firstReleased = new CountDownLatch(1);
            CountDownLatch secondHasRead = new CountDownLatch(1);
            ExecutorService threads = Executors.newFixedThreadPool(2);

            Future<?> first = threads.submit(() -> transactions.executeWithoutResult(status -> {
                locked(locks, () -> Counter.write(jdbc, Counter.read(jdbc) + 1));
                firstReleased.countDown();
                await(secondHasRead);
            }));
            Future<?> second = threads.submit(() -> transactions.executeWithoutResult(status -> {
                await(firstReleased);
                locked(locks, () -> {
                    int read = Counter.read(jdbc);
                    secondHasRead.countDown();
                    Counter.write(jdbc, read + 1);
                });
            }));
            first.get();
            second.get();
            threads.shutdown();

            assertThat(Counter.read(jdbc)).isEqualTo(1);
        }
    }

    private static void locked(Locks locks, Runnable work) {
        try {
            locks.run("counter", lease -> work.run());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int increment(String locks, String data) throws IOException, InterruptedException {
        try (HikariDataSource source = TestDatabase.pool(data, "TRANSACTION_READ_COMMITTED");
                LockBackend backend = Backends.open(locks)) {
            JdbcTemplate jdbc = new JdbcTemplate(source);
            Counter.create(jdbc);
            JdbcFenceGuard.on(source).schema().installSchema();
            backend.ability(SchemaControl.class).ifPresent(SchemaControl::installSchema);
            List<Process> processes = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                ProcessBuilder builder = new ProcessBuilder(JvmCommand.of(Counter.class)).inheritIO();
                builder.environment().put("LOCKS", locks);
                builder.environment().put("DATA", data);
                processes.add(builder.start());
            }
            for (Process process : processes) {
                assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue()).isZero();
            }
            return Counter.read(jdbc);
        }
    }
}
