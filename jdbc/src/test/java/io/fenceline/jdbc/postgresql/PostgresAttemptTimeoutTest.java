package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long an attempt waits that has a timeout of its own, far below the backend's limit of 10 s and the pool's of 5 s. */
@Timeout(120)
class PostgresAttemptTimeoutTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final Duration WELL_BEFORE_THE_LIMITS = Duration.ofSeconds(4);

    private final PostgresServer server = TestServer.shared();
    private final String schema = TestServer.borrowSchema();
    private final String table = schema + ".fenceline_lock";

    @AfterEach
    void giveBack() {
        TestServer.giveBack(schema);
    }

    @Test
    @Tag("L5")
    void aServerThatDoesNotAnswerIsWaitedForNoLongerAndTheConnectionIsNotUsedAgain() {
        try (FaultProxy network = FaultProxy.to("127.0.0.1", server.port());
                LockBackend backend = Backends.open(
                        "postgresql://postgres@127.0.0.1:" + network.port() + "/postgres?table=" + table)) {
            assertGrants(backend);
            network.stall();

            BackendException failure = failureInTime(backend, request());

            assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
            failureInTime(backend, request()); // no connection
            network.cut();
            network.heal();
            assertGrantsAnotherKey(backend);
        }
    }

    @Test
    @Tag("L5")
    void aRowThatIsKeptLockedIsWaitedForNoLonger() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource();
                Connection operator = TestServer.dataSource(server).getConnection()) {
            pool.setDataSource(TestServer.dataSource(server));
            LockBackend backend = on(pool);
            assertGrants(backend);
            operator.setAutoCommit(false);
            operator.createStatement().execute("SELECT * FROM " + table + " FOR UPDATE");

            BackendException failure = failureInTime(backend, request(Duration.ofSeconds(2)));

            assertThat(failure.code()).isEqualTo(ErrorCode.ABORTED);
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            operator.rollback();
            assertGrants(backend);
        }
    }

    @Test
    @Tag("L5")
    void aPoolThatIsUsedUpIsWaitedForNoLonger() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(TestServer.dataSource(server));
            pool.setMaximumPoolSize(1);
            pool.setConnectionTimeout(30_000);
            LockBackend backend = on(pool);
            try (Connection taken = pool.getConnection()) {
                assertThat(taken.isValid(1)).isTrue();

                BackendException failure = failureInTime(backend, request());

                assertThat(failure.code()).isEqualTo(ErrorCode.RATE_LIMITED);
                assertThat(failure.effect()).isEqualTo(Effect.NONE);
            }
            assertGrants(backend);
        }
    }

    private LockBackend on(javax.sql.DataSource source) {
        return JdbcLockBackend.on(source, JdbcOptions.defaults().withTable(table));
    }

    private static AcquireRequest request() {
        return request(TIMEOUT);
    }

    private static AcquireRequest request(Duration timeout) {
        return new AcquireRequest(
                KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me"), 1, Duration.ZERO, timeout);
    }

    private static BackendException failureInTime(LockBackend backend, AcquireRequest request) {
        long asked = System.nanoTime();
        BackendException failure = catchThrowableOfType(BackendException.class, () -> backend.acquire(request));
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(WELL_BEFORE_THE_LIMITS);
        return failure;
    }

    private static void assertGrants(LockBackend backend) {
        assertGrants(backend, KEY);
    }

    /** What was on its way when the network stalled may be granted yet. */
    private static void assertGrantsAnotherKey(LockBackend backend) {
        assertGrants(backend, LockKey.of("another"));
    }

    private static void assertGrants(LockBackend backend, LockKey key) {
        LockId id = LockId.random();
        assertThat(backend.acquire(AcquireRequest.of(key, id, Duration.ofMinutes(1), Holder.of("me"))))
                .isInstanceOf(Granted.class);
        assertThat(backend.release(key, id)).isTrue();
    }
}
