package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls on connections that are the caller's or blocked, and the state in which they leave a connection. */
class MariaDbConnectionTest extends MariaDbCase {

    @Test
    void connectionsThatDoNotCommitByThemselvesAreUsedAndGivenBackAsTheyWere() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(source);
            pool.setMaximumPoolSize(1);
            pool.setAutoCommit(false);
            Granted granted = grant(on(pool));

            assertThat(on(source).lookup(KEY)).as("committed").isPresent();
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
                assertThat(connection.getNetworkTimeout()).isZero();
                assertThat(ask(connection, "SELECT @@innodb_lock_wait_timeout")).isEqualTo("50");
            }
            assertThat(on(pool).release(KEY, granted.grant().lockId())).isTrue();
        }
    }

    @Test
    void aTransactionOfTheCallersIsNeverJoined() throws SQLException {
        try (Connection callers = source.getConnection();
                Statement statement = callers.createStatement()) {
            callers.setAutoCommit(false);
            statement.execute("INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)"
                    + " VALUES (0, '', '', '', 0, 0)");
            LockBackend backend = on(BoundDataSource.to(callers));

            assertFails(backend, ErrorCode.MISCONFIGURED, Effect.NONE, "in the middle of a transaction");

            callers.rollback();
            assertThat(on(source).lookup(KEY)).isEmpty();
            assertGrants(backend);
            assertThat(callers.getAutoCommit()).isFalse();
        }
    }

    @Test
    @Tag("G11")
    void aRowThatAnOperatorKeepsLockedFailsTheCallInTimeAndLeavesTheConnectionAsItWas() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(source);
            pool.setMaximumPoolSize(1);
            LockBackend backend = on(pool, Duration.ofMillis(3_800));
            assertGrants(backend);
            try (Connection operator = source.getConnection()) {
                operator.setAutoCommit(false);
                ask(operator, "SELECT last_fence FROM fenceline_lock FOR UPDATE");

                assertFails(backend, ErrorCode.ABORTED, Effect.NONE, "locked");

                operator.rollback();
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(ask(connection, "SELECT @@innodb_lock_wait_timeout")).isEqualTo("50");
            }
            assertGrants(backend);
        }
    }

    @Test
    @Tag("G11")
    void aRowThatAnOperatorKeepsLockedIsReadAndARefusalIsAnsweredAtOnce() throws SQLException {
        LockBackend backend = on(source, Duration.ofSeconds(3));
        grant(backend);
        try (Connection operator = source.getConnection()) {
            operator.setAutoCommit(false);
            ask(operator, "SELECT last_fence FROM fenceline_lock FOR UPDATE");

            assertThat(backend.acquire(request())).isNotInstanceOf(Granted.class);
            assertThat(backend.release(KEY, LockId.random())).isFalse();

            operator.rollback();
        }
    }

    /** Renewals that wait for rows do not keep the connections from those of other leases. */
    @Test
    @Tag("L3")
    void rowsThatAnOperatorKeepsLockedCostNoOtherLease() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(source);
            pool.setMaximumPoolSize(2);
            try (Locks locks = Locks.over(on(pool, Duration.ofMinutes(10)));
                    Connection operator = source.getConnection()) {
                List<Lease> leases = IntStream.range(0, 8)
                        .mapToObj(i -> locks.tryAcquire(
                                        "invoice:" + i, LockOptions.defaults().withTtl(Duration.ofSeconds(10)))
                                .orElseThrow())
                        .toList();
                operator.setAutoCommit(false);
                ask(
                        operator,
                        "SELECT last_fence FROM fenceline_lock WHERE lock_key IN ('invoice:0', 'invoice:1', 'invoice:2') FOR UPDATE");

                await().atMost(Duration.ofMinutes(1))
                        .until(() -> leases.subList(0, 3).stream().noneMatch(Lease::isHeld));

                assertThat(leases.stream().filter(Lease::isHeld)).containsExactlyElementsOf(leases.subList(3, 8));
                operator.rollback();
            }
        }
    }

    /** What counts is the time at which the row is seen, not the time at which the call began. */
    @Test
    @Tag("G6")
    void aLeaseThatEndsWhileItsRowIsWaitedForIsNotExtendedAndNotReleased() throws Exception {
        LockBackend backend = on(source);
        LockId id = LockId.random();
        try (Connection operator = source.getConnection()) {
            operator.setAutoCommit(false);
            assertThat(backend.acquire(AcquireRequest.of(KEY, id, Duration.ofMillis(700), Holder.of("me"))))
                    .isInstanceOf(Granted.class);
            ask(operator, "SELECT last_fence FROM fenceline_lock FOR UPDATE");
            CompletableFuture<Boolean> extended = OnNewThread.supply(
                    () -> backend.extend(KEY, id, Duration.ofHours(1)).isPresent());
            CompletableFuture<Boolean> released = OnNewThread.supply(() -> backend.release(KEY, id));
            CompletableFuture<Boolean> kept =
                    OnNewThread.supply(() -> backend.releaseAfter(KEY, id, Duration.ofMinutes(1)));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> on(source).lookup(KEY).isEmpty());
            operator.rollback();

            assertThat(extended.get(20, TimeUnit.SECONDS)).isFalse();
            assertThat(released.get(20, TimeUnit.SECONDS)).isFalse();
            assertThat(kept.get(20, TimeUnit.SECONDS)).isFalse();
        }
    }

    @Test
    @Tag("G1")
    void aGrantThatHadToWaitForTheRowBeginsWhenItHasTheRow() throws Exception {
        LockBackend backend = on(source);
        assertGrants(backend);
        try (Connection operator = source.getConnection()) {
            operator.setAutoCommit(false);
            ask(operator, "SELECT last_fence FROM fenceline_lock FOR UPDATE");
            CompletableFuture<Granted> waiting = OnNewThread.supply(() -> grant(backend));
            await().atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(150)) // what was asked for less than 100 ms ago is told again
                    .until(() -> ask(
                                    operator,
                                    "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state ="
                                            + " 'LOCK WAIT'")
                            .equals("1"));
            long unlocked = Long.parseLong(ask(operator, "SELECT " + MariaDbLocks.SQL.text("now")));
            operator.rollback();

            assertThat(waiting.get(20, TimeUnit.SECONDS).grant().acquiredAt())
                    .isAfterOrEqualTo(java.time.Instant.EPOCH.plus(unlocked, java.time.temporal.ChronoUnit.MICROS));
        }
    }

    /** In a session's time zone an hour comes twice in autumn. */
    @Test
    @Tag("G1")
    void timesDoNotDependOnTheSessionsTimeZone() throws SQLException {
        Granted granted =
                grant(on(TestServer.dataSource(server.jdbcUrl(database) + "&sessionVariables=time_zone='-11:30'")));

        try (Connection connection = source.getConnection()) {
            long now = Long.parseLong(ask(connection, "SELECT UNIX_TIMESTAMP()"));
            assertThat(granted.grant().acquiredAt().getEpochSecond()).isBetween(now - 60, now + 60);
        }
        assertThat(on(source).lookup(KEY).orElseThrow().remaining())
                .isBetween(Duration.ofSeconds(1), Duration.ofMinutes(1));
    }

    @Test
    @Tag("G3")
    void aRefusedAttemptWritesNothing() throws SQLException {
        LockBackend backend = on(source);
        LockId id = grant(backend).grant().lockId();
        try (Connection connection = source.getConnection()) {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 1000 && least > 0; i++) {
                long before = logged(connection);
                assertThat(backend.acquire(request())).isNotInstanceOf(Granted.class);
                assertThat(backend.release(KEY, LockId.random())).isFalse();
                assertThat(backend.extend(KEY, LockId.random(), Duration.ofMinutes(1)))
                        .isEmpty();
                least = Math.min(least, logged(connection) - before);
            }
            assertThat(least).isZero();
        }
        assertThat(backend.release(KEY, id)).isTrue();
    }

    private static long logged(Connection connection) throws SQLException {
        return Long.parseLong(ask(
                connection,
                "SELECT variable_value FROM information_schema.global_status WHERE variable_name ="
                        + " 'INNODB_LSN_CURRENT'"));
    }

    @Test
    @Tag("L7")
    void aNoticeThatSomebodyKeepsLockedDelaysNobodyForLong() throws Exception {
        LockBackend backend = on(source);
        Locks here = Locks.builder(backend).build();
        Locks elsewhere = Locks.builder(on(source)).build();
        Lease held = here.acquire(KEY.value());
        CompletableFuture<Lease> waiter = elsewhere.acquireAsync(KEY.value());
        try (Connection operator = source.getConnection();
                Statement statement = operator.createStatement()) {
            await().until(() ->
                    !ask(operator, "SELECT COUNT(*) FROM fenceline_lock_waiter").equals("0"));
            operator.setAutoCommit(false);
            statement.executeUpdate("DELETE FROM fenceline_lock_waiter");

            Thread.sleep(1_000); // the waiter is refused meanwhile, and posts its notice
            held.close();

            waiter.get(3, TimeUnit.SECONDS).close();
            operator.rollback();
        }
        here.close();
        elsewhere.close();
    }
}
