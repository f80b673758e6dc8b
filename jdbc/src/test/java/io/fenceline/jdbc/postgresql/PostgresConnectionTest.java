package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Calls on connections that are the caller's, lent anew for each transaction, blocked, ended or cut. */
class PostgresConnectionTest extends PostgresCase {

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
            }
            assertThat(on(pool).release(KEY, granted.grant().lockId())).isTrue();
        }
    }

    @Test
    void aTransactionOfTheCallersIsNeverJoined() throws SQLException {
        try (Connection callers = source.getConnection()) {
            callers.setAutoCommit(false);
            DataSource bound = BoundDataSource.to(callers);
            LockBackend backend = on(bound);
            callers.createStatement().execute("CREATE TABLE " + schema + ".work (n int)");

            assertFails(backend, ErrorCode.MISCONFIGURED, Effect.NONE, "in the middle of a transaction");

            callers.rollback();
            assertThat(on(source).lookup(KEY)).isEmpty();
            assertGrants(backend);
            assertThat(callers.getAutoCommit()).isFalse();
        }
    }

    @Test
    void aPoolerThatLendsAnotherConnectionForEachTransactionIsFine() throws SQLException {
        try (HikariDataSource several = new HikariDataSource()) {
            several.setJdbcUrl(server.jdbcUrl("postgres") + "&prepareThreshold=0");
            several.setMaximumPoolSize(3);
            LockBackend backend = JdbcLockBackend.on(
                    new PoolerDataSource(several),
                    JdbcOptions.defaults().withTable(table).withoutSignals());
            for (int i = 0; i < 10; i++) {
                LockId id = LockId.random();
                assertThat(backend.acquire(AcquireRequest.of(KEY, id, Duration.ofMinutes(1), Holder.of("me"))))
                        .isInstanceOf(Granted.class);
                assertThat(backend.acquire(request(KEY))).isNotInstanceOf(Granted.class);
                assertThat(backend.extend(KEY, id, Duration.ofMinutes(1))).isPresent();
                assertThat(backend.release(KEY, id)).isTrue();
            }
            try (Connection connection = several.getConnection();
                    Statement statement = connection.createStatement()) {
                var locks = statement.executeQuery("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'");
                locks.next();
                assertThat(locks.getInt(1)).as("locks that were left behind").isZero();
            }
        }
    }

    @Test
    @Tag("G11")
    void aRowThatAnOperatorKeepsLockedFailsTheCallInTimeAndWithoutEffect() throws SQLException {
        LockBackend backend = on(source, Duration.ofMillis(500));
        Granted granted = grant(backend);
        backend.release(KEY, granted.grant().lockId());
        try (Connection operator = source.getConnection()) {
            operator.setAutoCommit(false);
            operator.createStatement().execute("SELECT * FROM " + table + " FOR UPDATE");

            assertFails(backend, ErrorCode.ABORTED, Effect.NONE, "locked");

            operator.rollback();
        }
        assertGrants(backend);
    }

    /** The server stops sessions at any moment, after a commit too. */
    @Test
    @Tag("G10")
    void aSessionThatTheServerEndsLeavesTheEffectUnclear() throws Exception {
        LockBackend backend = on(source);
        assertGrants(backend);
        try (Connection operator = source.getConnection()) {
            operator.setAutoCommit(false);
            operator.createStatement().execute("SELECT * FROM " + table + " FOR UPDATE");
            CompletableFuture<Void> ended = OnNewThread.run(
                    () -> assertFails(backend, ErrorCode.SERVICE_UNAVAILABLE, Effect.UNKNOWN, "stopping"));
            String waiting = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE wait_event_type = 'Lock' AND query LIKE '%" + schema + "%'";
            await().until(() -> {
                try (Connection administrator =
                        source.getConnection()) { // each transaction sees one state of all sessions
                    return administrator.createStatement().executeQuery(waiting).next();
                }
            });
            ended.get(10, TimeUnit.SECONDS);
        }
    }

    /** As while a JVM is stopped in the middle of a guarded write. */
    @Test
    @Tag("G10")
    void aTransactionThatTheServerEndedIsToldAsAborted() throws SQLException {
        try (Connection stopped = source.getConnection();
                Statement work = stopped.createStatement()) {
            stopped.setAutoCommit(false);
            work.execute("SET idle_in_transaction_session_timeout = 1");
            SQLException ended = await().until(
                            () -> catchThrowableOfType(SQLException.class, () -> work.execute("SELECT 1")),
                            Objects::nonNull);

            assertThat(new PostgresErrors().failed(ended, Effect.UNKNOWN))
                    .returns(ErrorCode.ABORTED, BackendException::code)
                    .returns(Effect.NONE, BackendException::effect)
                    .hasMessageContaining("idle_in_transaction_session_timeout");
        }
    }

    @Test
    @Tag("G7")
    void aGrantWhoseReplyWasLostIsUnclearAndIsFoundByAskingAgain() throws Exception {
        try (FaultProxy network = FaultProxy.to("127.0.0.1", server.port())) {
            PGSimpleDataSource far = new PGSimpleDataSource();
            far.setUrl("jdbc:postgresql://127.0.0.1:" + network.port() + "/postgres?user=postgres");
            LockBackend backend = on(far);
            CompletableFuture<byte[]> lost = network.loseReply(sent ->
                    new String(sent, java.nio.charset.StandardCharsets.ISO_8859_1).contains("fenceline_lock_acquire"));

            AcquireRequest request = request(KEY);
            BackendException failure = catchThrowableOfType(BackendException.class, () -> backend.acquire(request));
            lost.get(10, TimeUnit.SECONDS);

            assertThat(failure.code()).isIn(ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.NETWORK_TIMEOUT);
            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(backend.acquire(request)).isInstanceOf(Granted.class);
        }
    }

    @Test
    @Tag("G11")
    void aNetworkThatStallsFailsTheCallInTime() {
        try (FaultProxy network = FaultProxy.to("127.0.0.1", server.port());
                HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + network.port() + "/postgres?user=postgres");
            LockBackend backend = on(pool, Duration.ofMillis(400));
            assertGrants(backend);
            network.stall();

            assertFails(backend, ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "did not answer in time");

            network.cut();
            network.heal();
        }
    }
}
