package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.Backends;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.CountingLockBackend;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose commits wait for a standby that is not there. */
@Timeout(180)
class PostgresSlowCommitTest {

    private static final int WAITERS = 4;
    private static final Duration WATCHED = Duration.ofSeconds(3);

    @Test
    @Tag("L7")
    void thoseWhoWaitWhileAGrantIsBeingWrittenBackOff() throws Exception {
        try (PostgresServer server = PostgresServer.start(Map.of())) {
            List<CountingLockBackend> backends = new ArrayList<>();
            for (int i = 0; i <= WAITERS; i++) {
                backends.add(CountingLockBackend.over(Backends.open(server.uri())));
            }
            hold(backends.get(0)).get(30, TimeUnit.SECONDS);
            server.execute("postgres", "ALTER SYSTEM SET synchronous_standby_names = 'missing'");
            server.execute("postgres", "SELECT pg_reload_conf()");
            await().until(() -> ask(server, "SHOW synchronous_standby_names").equals("missing"));
            FutureTask<Void> first = hold(backends.get(0));
            await().until(() -> ask(server, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                    .equals("1"));

            List<FutureTask<Void>> others = backends.subList(1, WAITERS + 1).stream()
                    .map(PostgresSlowCommitTest::hold)
                    .toList();
            await().until(() -> backends.stream().allMatch(backend -> backend.count(BackendOperation.ACQUIRE) > 0));
            long before = acquires(backends);
            long began = System.nanoTime();
            while (System.nanoTime() - began < WATCHED.toNanos()) {
                TimeUnit.MILLISECONDS.sleep(100); // what is counted happens within this time
            }
            long attempts = acquires(backends) - before;

            server.execute("postgres", "ALTER SYSTEM RESET synchronous_standby_names");
            server.execute("postgres", "SELECT pg_reload_conf()");
            first.get(60, TimeUnit.SECONDS);
            for (FutureTask<Void> other : others) {
                other.get(60, TimeUnit.SECONDS);
            }
            backends.forEach(LockBackend::close);
            // A backoff from 100 ms to 1 s makes some four attempts a second; each millisecond would be a thousand.
            assertThat(attempts / WATCHED.toSeconds() / WAITERS)
                    .as("attempts a second of each")
                    .isLessThan(20);
        }
    }

    private static long acquires(List<CountingLockBackend> backends) {
        return backends.stream()
                .mapToLong(backend -> backend.count(BackendOperation.ACQUIRE))
                .sum();
    }

    private static FutureTask<Void> hold(LockBackend backend) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            try (Locks locks = Locks.over(backend);
                    Lease lease = locks.acquire("hot", LockOptions.defaults().withMaxWait(Duration.ofMinutes(1)))) {
                lease.ensureHeld();
            }
            return null;
        });
        new Thread(task).start();
        return task;
    }

    private static String ask(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = TestServer.dataSource(server).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
