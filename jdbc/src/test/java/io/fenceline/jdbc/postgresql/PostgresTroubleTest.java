package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.net.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** What goes wrong with databases, and what the caller is told. */
@Timeout(120)
class PostgresTroubleTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private final PostgresServer server = TestServer.shared();
    private final String schema = TestServer.newSchema(server);
    private final String table = schema + ".fenceline_lock";
    private final PGSimpleDataSource source = TestServer.dataSource(server);

    @BeforeEach
    void install() {
        try (LockBackend backend = on(source)) {
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
        }
    }

    @AfterEach
    void remove() {
        server.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    @Test
    @Tag("G10")
    void aPoolThatIsUsedUpIsToldAsSuch() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(source);
            pool.setMaximumPoolSize(1);
            pool.setConnectionTimeout(250);
            LockBackend backend = on(pool);
            try (Connection taken = pool.getConnection()) {
                assertThat(taken.isValid(1)).isTrue();
                assertFails(backend, ErrorCode.RATE_LIMITED, Effect.NONE, "make it larger");
            }
            assertGrants(backend);
        }
    }

    @Test
    @Tag("G10")
    void aServerWithoutAConnectionLeftIsToldAsSuch() throws SQLException {
        server.execute("postgres", "CREATE ROLE alone LOGIN PASSWORD 'secret' CONNECTION LIMIT 0");
        PGSimpleDataSource limited = as("alone", "secret");
        try {
            BackendException failure = catchThrowableOfType(BackendException.class, () -> on(limited));
            assertThat(failure.code()).isEqualTo(ErrorCode.RATE_LIMITED);
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
        } finally {
            server.execute("postgres", "DROP ROLE alone");
        }
    }

    /** The product is not known before the first connection. */
    @Test
    @Tag("G10")
    void whatDoesNotPassIsNoOutageOnADataSourceEither() {
        PGSimpleDataSource elsewhere = TestServer.dataSource(server);
        elsewhere.setDatabaseName("not_there");
        PGSimpleDataSource withoutPassword = as("nobody", "");
        server.execute("postgres", "CREATE ROLE nobody LOGIN PASSWORD 'secret'");
        try {
            BackendException unknown = catchThrowableOfType(BackendException.class, () -> on(elsewhere));
            assertThat(unknown.code()).isEqualTo(ErrorCode.MISCONFIGURED);
            assertThat(unknown).hasMessageContaining("the database does not exist");
            BackendException refused = catchThrowableOfType(BackendException.class, () -> on(withoutPassword));
            assertThat(refused.code()).isEqualTo(ErrorCode.AUTH_FAILED);
        } finally {
            server.execute("postgres", "DROP ROLE nobody");
        }
    }

    @Test
    @Tag("G10")
    void aWrongPasswordIsToldAndNotRepeatedInTheMessage() {
        server.execute("postgres", "CREATE ROLE ann LOGIN PASSWORD 'right'");
        try {
            String uri = "postgresql://ann:wrong-secret@127.0.0.1:" + server.port() + "/postgres";
            BackendException failure = catchThrowableOfType(BackendException.class, () -> Backends.open(uri));

            assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                assertThat(cause.toString()).doesNotContain("wrong-secret");
            }
        } finally {
            server.execute("postgres", "DROP ROLE ann");
        }
    }

    @Test
    @Tag("G10")
    void aMissingPasswordIsNoOutage() {
        server.execute("postgres", "CREATE ROLE bob LOGIN PASSWORD 'secret'");
        try {
            String uri = "postgresql://bob@127.0.0.1:" + server.port() + "/postgres";
            BackendException failure = catchThrowableOfType(BackendException.class, () -> Backends.open(uri));

            assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
            assertThat(failure).hasMessageContaining("PGPASSWORD");
        } finally {
            server.execute("postgres", "DROP ROLE bob");
        }
    }

    @Test
    @Tag("G10")
    void aMissingDatabaseIsNoOutage() {
        String uri = "postgresql://postgres@127.0.0.1:" + server.port() + "/not_there";

        assertThat(catchThrowableOfType(BackendException.class, () -> Backends.open(uri)))
                .returns(ErrorCode.MISCONFIGURED, BackendException::code)
                .hasMessageContaining("the database does not exist");
    }

    @Test
    @Tag("G10")
    void aMissingTableIsToldWithTheRemedy() {
        LockBackend backend = JdbcLockBackend.on(source, JdbcOptions.defaults().withTable(schema + ".not_there"));

        assertFails(backend, ErrorCode.MISCONFIGURED, Effect.NONE, "fenceline schema install");
    }

    @Test
    @Tag("G10")
    void aMissingPrivilegeIsToldAndSchemaCommandsStillWork() {
        server.execute(
                "postgres",
                "CREATE ROLE reader LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA " + schema
                        + " TO reader; GRANT SELECT ON " + table + " TO reader");
        String uri = "postgresql://reader:secret@127.0.0.1:" + server.port() + "/postgres?table=";
        try (LockBackend backend = Backends.open(uri + table);
                LockBackend elsewhere = Backends.open(uri + schema + ".not_there")) {
            assertFails(backend, ErrorCode.AUTH_FAILED, Effect.NONE, "grant SELECT, INSERT and UPDATE");
            assertThat(backend.lookup(KEY)).isEmpty();

            assertFails(elsewhere, ErrorCode.MISCONFIGURED, Effect.NONE, "fenceline schema print");
            SchemaControl missing = elsewhere.ability(SchemaControl.class).orElseThrow();
            assertThat(missing.schemaScript()).contains("CREATE TABLE");
            assertThat(missing.schemaProblems()).contains("table " + schema + ".not_there is missing");
        } finally {
            server.execute("postgres", "DROP OWNED BY reader; DROP ROLE reader");
        }
    }

    @Test
    @Tag("G10")
    void aDatabaseThatOnlyReadsIsToldAsAnOutageSinceTheWriterMayHaveMoved() {
        PGSimpleDataSource readOnly = TestServer.dataSource(server);
        readOnly.setOptions("-c default_transaction_read_only=on");
        LockBackend backend = on(readOnly);

        assertFails(backend, ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "primary");
        assertThat(backend.lookup(KEY)).isEmpty();
    }

    /** The server tells where in our functions and scripts it was, with all their statements. */
    @Test
    @Tag("G10")
    void anErrorWithinAFunctionHasNoneOfItsStatementsInTheMessage() {
        PGSimpleDataSource readOnly = TestServer.dataSource(server);
        readOnly.setOptions("-c default_transaction_read_only=on");
        LockBackend backend = on(readOnly);
        BackendException failure = catchThrowableOfType(BackendException.class, () -> grant(backend));
        assertThat(failure).hasMessageContaining("read-only transaction").hasMessageNotContaining("last_fence");

        server.execute("postgres", "CREATE TABLE " + schema + ".periods (id interval PRIMARY KEY)");
        TriggerControl triggers = on(source).ability(TriggerControl.class).orElseThrow();
        BackendException unfit = catchThrowableOfType(
                BackendException.class, () -> triggers.install(GuardedTable.of(schema + ".periods", "id")));
        assertThat(unfit)
                .hasMessageContaining("it is of type interval")
                .hasMessageContaining("Name the rows by columns")
                .hasMessageNotContaining("PL/pgSQL");
        assertThat(unfit.code()).isEqualTo(ErrorCode.MISCONFIGURED);
    }

    @Test
    @Tag("G10")
    void aStandbyIsToldAsAnOutageAndTakesOverWithAllTokensWhenItIsPromoted() {
        PostgresServer primary = PostgresServer.start(java.util.Map.of());
        try (PostgresServer standby = primary.startStandby()) {
            LockBackend first = Backends.open(primary.uri());
            Granted granted = grant(first);
            LockBackend second = Backends.open("postgresql://127.0.0.1:" + primary.port() + ",127.0.0.1:"
                    + standby.port() + "/postgres?user=postgres");
            LockBackend onStandby = JdbcLockBackend.on(TestServer.dataSource(standby), JdbcOptions.defaults());
            awaitLookup(onStandby);
            assertFails(onStandby, ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "primary");

            primary.kill();
            standby.execute("postgres", "SELECT pg_promote()");

            LockKey next = LockKey.of("next");
            Acquisition answer = null;
            for (int i = 0; i < 100 && answer == null; i++) {
                try {
                    answer = second.acquire(request(next));
                } catch (BackendException away) {
                    assertThat(away.code().isTransient()).isTrue();
                }
            }
            assertThat(answer).isInstanceOf(Granted.class);
            assertThat(second.release(KEY, granted.grant().lockId())).isTrue();
            assertThat(grant(second).grant().token())
                    .isGreaterThan(granted.grant().token());
            first.close();
            second.close();
        } finally {
            primary.close();
        }
    }

    private static void awaitLookup(LockBackend backend) {
        for (int i = 0; i < 200; i++) {
            try {
                if (backend.lookup(KEY).isPresent()) {
                    return;
                }
            } catch (BackendException notThereYet) {
                assertThat(notThereYet.effect()).isEqualTo(Effect.NONE);
            }
            pass(Duration.ofMillis(50));
        }
        throw new AssertionError("the standby does not follow");
    }

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

    private LockBackend on(DataSource given) {
        return on(given, Duration.ofSeconds(5));
    }

    private LockBackend on(DataSource given, Duration answerLimit) {
        return JdbcLockBackend.on(given, JdbcOptions.defaults().withTable(table).withAnswerLimit(answerLimit));
    }

    private PGSimpleDataSource as(String user, String password) {
        PGSimpleDataSource other = new PGSimpleDataSource();
        other.setUrl("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres");
        other.setUser(user);
        other.setPassword(password);
        return other;
    }

    private static AcquireRequest request(LockKey key) {
        return AcquireRequest.of(key, LockId.random(), Duration.ofMinutes(1), Holder.of("me"));
    }

    private static Granted grant(LockBackend backend) {
        Acquisition answer = backend.acquire(request(KEY));
        assertThat(answer).isInstanceOf(Granted.class);
        return (Granted) answer;
    }

    private static void assertGrants(LockBackend backend) {
        LockId id = grant(backend).grant().lockId();
        assertThat(backend.release(KEY, id)).isTrue();
    }

    private static void assertFails(LockBackend backend, ErrorCode code, Effect effect, String remedy) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> backend.acquire(request(KEY)));
        assertThat(failure).hasMessageContaining(remedy);
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.effect()).isEqualTo(effect);
    }

    private static void pass(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
