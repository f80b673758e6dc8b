package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What goes wrong with databases, and what the caller is told. */
class PostgresTroubleTest extends PostgresCase {

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

    @Test
    @Tag("G10")
    void aServerThatIsSilentFromTheStartIsToldAsSuch() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            String uri = "postgresql://127.0.0.1:" + silent.getLocalPort() + "/app?loginTimeout=1";
            BackendException failure = catchThrowableOfType(BackendException.class, () -> Backends.open(uri));
            assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
            assertThat(failure).hasMessageContaining("the server does not answer");
        }
    }

    @Test
    @Tag("G10")
    void aCharacterThatTheDatabaseCannotKeepIsAMistakeOfTheKey() {
        server.execute("postgres", "CREATE DATABASE latin TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'");
        try (LockBackend backend = Backends.open(server.uri("latin"));
                Locks locks = Locks.over(backend)) {
            BackendException refused =
                    catchThrowableOfType(BackendException.class, () -> locks.tryAcquire("\u043A\u043B\u044E\u0447"));
            assertThat(refused.code()).isEqualTo(ErrorCode.MISCONFIGURED);
            assertThat(refused).hasMessageContaining("use a database in UTF8");
            assertThat(backend.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .extracting(Finding::subject)
                    .contains("encoding");
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

    @ParameterizedTest
    @ValueSource(strings = {"prepareThreshold=q", "socketTimeout=abc", "options=-c%20not_there=1"})
    @Tag("G10")
    void aParameterThatCannotBeUsedIsNoFaultOfOurs(String parameter) {
        String uri = server.uri("postgres");
        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> Backends.open(uri + (uri.contains("?") ? "&" : "?") + parameter));

        assertThat(failure.code()).isEqualTo(ErrorCode.MISCONFIGURED);
        assertThat(failure).hasMessageContaining("check the URI and its parameters");
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
            assertThatThrownBy(missing::installSchema).hasMessageContaining("CREATE on their schema");
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

    /** A machine that is switched off answers nothing, as a port whose queue is full. */
    @Test
    @Tag("G10")
    void aHostThatIsSwitchedOffIsPassedOver() throws IOException {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket off = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            boolean full = false;
            while (!full) {
                Socket waiting = new Socket();
                queue.add(waiting);
                try {
                    waiting.connect(off.getLocalSocketAddress(), 200);
                } catch (SocketTimeoutException e) {
                    full = true;
                }
            }
            String hosts = "127.0.0.1:" + off.getLocalPort() + ",127.0.0.1:" + server.port();
            try (LockBackend backend =
                    Backends.open("postgresql://" + hosts + "/postgres?user=postgres&table=" + table)) {
                assertThat(backend.acquire(request(KEY))).isInstanceOf(Granted.class);
            }
        } finally {
            for (Socket waiting : queue) {
                waiting.close();
            }
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

    private static void pass(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
