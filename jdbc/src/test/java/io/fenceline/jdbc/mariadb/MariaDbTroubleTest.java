package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes wrong with databases, and what the caller is told; and what a connection is like afterwards. */
@Timeout(120)
class MariaDbTroubleTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private final MariaDbServer server = TestServer.shared();
    private final String database = TestServer.borrowDatabase();
    private final DataSource source = TestServer.dataSource(server, database);

    @AfterEach
    void giveBack() {
        TestServer.giveBack(database);
    }

    @Test
    @Tag("G10")
    void aWrongPasswordIsToldAndNotRepeatedInTheMessage() {
        server.execute("", "CREATE OR REPLACE USER ann@'%' IDENTIFIED BY 'right'");
        String uri = "mariadb://ann:wrong-secret@127.0.0.1:" + server.port() + "/" + database;

        BackendException failure = catchThrowableOfType(BackendException.class, () -> Backends.open(uri));

        assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(cause.toString()).doesNotContain("wrong-secret");
        }
    }

    @Test
    @Tag("G10")
    void aMissingTableOrDatabaseIsToldWithTheRemedy() {
        LockBackend backend = JdbcLockBackend.on(source, JdbcOptions.defaults().withTable("not_there"));

        assertFails(backend, ErrorCode.MISCONFIGURED, Effect.NONE, "fenceline schema install");
        assertThat(backend.ability(SchemaControl.class).orElseThrow().schemaProblems())
                .contains("table not_there is missing");
        assertThat(catchThrowableOfType(
                        BackendException.class,
                        () -> Backends.open("mariadb://127.0.0.1:" + server.port() + "/nowhere?user=root")))
                .returns(ErrorCode.MISCONFIGURED, BackendException::code)
                .hasMessageContaining("the database does not exist")
                .hasMessageContaining("nowhere");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backends.open("mariadb://127.0.0.1:" + server.port()))
                .withMessageContaining("write mariadb://USER@HOST:PORT/DATABASE");
    }

    @Test
    @Tag("G10")
    void aMissingPrivilegeIsToldAndAUserWithTheFourThatAreNamedCanLock() {
        server.execute("", "CREATE OR REPLACE USER bob@'%' IDENTIFIED BY 'secret'");
        server.execute("", "GRANT SELECT ON " + database + ".* TO bob@'%'");
        server.execute("", "GRANT EXECUTE ON " + database + ".* TO bob@'%'");
        String uri = "mariadb://bob:secret@127.0.0.1:" + server.port() + "/" + database;
        assertThat(catchThrowableOfType(BackendException.class, () -> Backends.open(uri + "x")))
                .returns(ErrorCode.AUTH_FAILED, BackendException::code)
                .hasMessageContaining("or it does not exist; check its name");
        try (LockBackend backend = Backends.open(uri)) {
            assertFails(backend, ErrorCode.AUTH_FAILED, Effect.NONE, "grant SELECT, INSERT and UPDATE");
            assertThat(backend.lookup(KEY)).isEmpty();
        }
        server.execute("", "GRANT INSERT, UPDATE ON " + database + ".* TO bob@'%'");
        try (LockBackend backend = Backends.open(uri)) {
            assertGrants(backend);
        }
    }

    @Test
    @Tag("G10")
    void aServerThatOnlyReadsIsToldAsAnOutageSinceTheWriterMayHaveMoved() {
        server.execute("", "CREATE OR REPLACE USER carl@'%' IDENTIFIED BY 'secret'");
        server.execute("", "GRANT SELECT, INSERT, UPDATE, EXECUTE ON " + database + ".* TO carl@'%'");
        String uri = "mariadb://carl:secret@127.0.0.1:" + server.port() + "/" + database;
        try (LockBackend backend = Backends.open(uri)) {
            server.execute("", "SET GLOBAL read_only = ON");
            try {
                assertFails(backend, ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "primary");
                assertThat(backend.lookup(KEY)).isEmpty();
                assertThat(finding(backend, "writing").severity()).isEqualTo(Severity.PROBLEM);
            } finally {
                server.execute("", "SET GLOBAL read_only = OFF");
            }
            assertGrants(backend);
        }
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
                    () -> backend.extend(KEY, id, Duration.ofMinutes(1)).isPresent());
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

    @Test
    void anExaminationOfAGoodServerFindsNothingAndOfOneThatDoesNotFlushSaysSo() {
        LockBackend backend = on(source);
        assertThat(backend.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                .extracting(Finding::severity)
                .containsOnly(Severity.OK);

        server.execute("", "SET GLOBAL innodb_flush_log_at_trx_commit = 2");
        try {
            Finding finding = finding(backend, "innodb_flush_log_at_trx_commit");
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.remedy()).isEqualTo("set innodb_flush_log_at_trx_commit = 1");
        } finally {
            server.execute("", "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        }
    }

    @Test
    void anExaminationTellsWhatIsWrongWithTheTables() {
        String other = server.newDatabase();
        LockBackend backend = JdbcLockBackend.on(TestServer.dataSource(server, other), JdbcOptions.defaults());
        SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();
        assertThat(schema.schemaProblems()).hasSize(11);
        schema.installSchema();
        schema.installSchema();
        assertThat(schema.schemaProblems()).isEmpty();

        server.execute(other, "ALTER TABLE fenceline_lock MODIFY lock_key VARCHAR(512) NOT NULL");
        server.execute(other, "DROP PROCEDURE fenceline_lock_extend");

        assertThat(finding(backend, "schema").detail())
                .contains("column lock_key of fenceline_lock is VARCHAR(512)")
                .contains("procedure fenceline_lock_extend is missing");
    }

    @Test
    @Tag("G6")
    void aProcedureOfAnEarlierVersionIsNamedAndThenReplaced() {
        String other = server.newDatabase();
        LockBackend backend = JdbcLockBackend.on(TestServer.dataSource(server, other), JdbcOptions.defaults());
        SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();
        schema.installSchema();
        server.execute(other, "ALTER PROCEDURE fenceline_lock_extend COMMENT 'Fenceline 1'");
        server.execute(other, "ALTER PROCEDURE fenceline_lock_release COMMENT 'Fenceline 99'");

        assertThat(schema.schemaProblems())
                .hasSize(2)
                .anySatisfy(problem ->
                        assertThat(problem).contains("fenceline_lock_extend is of version 1", "DROP PROCEDURE"));

        schema.installSchema();

        assertThat(schema.schemaProblems())
                .as("a later version is not replaced")
                .singleElement(as(InstanceOfAssertFactories.STRING))
                .contains("fenceline_lock_release says 'Fenceline 99'");
    }

    @Test
    @Tag("G6")
    void aRoleThatMayDropAProcedureAndCreateNoneLeavesItInItsPlace() {
        String other = server.newDatabase();
        installIn(other);
        server.execute(other, "ALTER PROCEDURE fenceline_lock_extend COMMENT 'Fenceline 1'");
        server.execute(other, "CREATE USER IF NOT EXISTS migrated@'%'");
        server.execute(
                other,
                "GRANT SELECT, INSERT, UPDATE, CREATE, EXECUTE, ALTER ROUTINE ON " + other + ".* TO migrated@'%'");

        try (LockBackend role = Backends.open(server.uri(other).replace("root", "migrated"))) {
            Granted granted = grant(role);

            assertThat(role.extend(KEY, granted.grant().lockId(), Duration.ofMinutes(2)))
                    .isPresent();
        }
    }

    @Test
    @Tag("G6")
    void callsGoOnWhileAProcedureIsReplaced() throws Exception {
        String other = server.newDatabase();
        SchemaControl schema = installIn(other);
        LockBackend backend = on(TestServer.dataSource(server, other));
        Granted granted = grant(backend);
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> extensions = OnNewThread.supply(() -> {
            int made = 0;
            while (!over.get()) {
                assertThat(backend.extend(KEY, granted.grant().lockId(), Duration.ofMinutes(2)))
                        .isPresent();
                made++;
            }
            return made;
        });

        for (int i = 0; i < 30; i++) {
            server.execute(other, "ALTER PROCEDURE fenceline_lock_extend COMMENT 'Fenceline 1'");
            schema.installSchema();
        }
        over.set(true);

        assertThat(extensions.get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(schema.schemaProblems()).isEmpty();
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

    private SchemaControl installIn(String other) {
        SchemaControl schema = on(TestServer.dataSource(server, other))
                .ability(SchemaControl.class)
                .orElseThrow();
        schema.installSchema();
        return schema;
    }

    private static long logged(Connection connection) throws SQLException {
        return Long.parseLong(ask(
                connection,
                "SELECT variable_value FROM information_schema.global_status WHERE variable_name ="
                        + " 'INNODB_LSN_CURRENT'"));
    }

    private static Finding finding(LockBackend backend, String subject) {
        return backend.ability(SelfDiagnosis.class).orElseThrow().diagnose().stream()
                .filter(found -> found.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static LockBackend on(DataSource given) {
        return on(given, Duration.ofSeconds(10));
    }

    private static LockBackend on(DataSource given, Duration answerLimit) {
        return JdbcLockBackend.on(given, JdbcOptions.defaults().withAnswerLimit(answerLimit));
    }

    private static AcquireRequest request() {
        return AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me"));
    }

    private static Granted grant(LockBackend backend) {
        Acquisition answer = backend.acquire(request());
        assertThat(answer).isInstanceOf(Granted.class);
        return (Granted) answer;
    }

    private static void assertGrants(LockBackend backend) {
        LockId id = grant(backend).grant().lockId();
        assertThat(backend.release(KEY, id)).isTrue();
    }

    private static void assertFails(LockBackend backend, ErrorCode code, Effect effect, String remedy) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> backend.acquire(request()));
        assertThat(failure).hasMessageContaining(remedy);
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.effect()).isEqualTo(effect);
    }
}
