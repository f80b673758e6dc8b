package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Locks;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What goes wrong with databases, and what the caller is told. */
class MariaDbTroubleTest extends MariaDbCase {

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
    void aLockedAccountIsARefusalAndNoOutage() {
        server.execute("", "CREATE OR REPLACE USER cid@'%' IDENTIFIED BY 'secret' ACCOUNT LOCK");

        assertThat(catchThrowableOfType(
                        BackendException.class,
                        () -> Backends.open("mariadb://cid:secret@127.0.0.1:" + server.port() + "/" + database)))
                .returns(ErrorCode.AUTH_FAILED, BackendException::code);
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
        try (LockBackend backend = Backends.open(uri);
                LockBackend elsewhere = Backends.open(uri + "?table=not_there")) {
            assertFails(backend, ErrorCode.AUTH_FAILED, Effect.NONE, "grant SELECT, INSERT and UPDATE");
            assertThat(backend.lookup(KEY)).isEmpty();
            assertThat(finding(backend, "privileges").detail())
                    .startsWith(
                            "missing: INSERT on fenceline_lock, UPDATE on fenceline_lock, INSERT on fenceline_lock_audit");
            SchemaControl missing = elsewhere.ability(SchemaControl.class).orElseThrow();
            assertThatThrownBy(missing::installSchema).hasMessageContaining("or CREATE and CREATE ROUTINE to a user");
        }
        server.execute("", "GRANT INSERT, UPDATE ON " + database + ".* TO bob@'%'");
        try (LockBackend backend = Backends.open(uri)) {
            assertGrants(backend);
            assertThat(finding(backend, "privileges").severity()).isEqualTo(Severity.OK);
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
    void anExaminationFindsNothingWrongWhereBackslashesAreOrdinary() {
        assertThat(examined("sql_mode='NO_BACKSLASH_ESCAPES'"))
                .extracting(Finding::severity)
                .containsOnly(Severity.OK);
    }

    @Test
    void anExaminationFindsSessionsThatOnlyRead() {
        assertThat(examined("tx_read_only=ON"))
                .filteredOn(finding -> finding.severity() == Severity.PROBLEM)
                .extracting(Finding::subject)
                .containsOnly("writing");
    }

    @Test
    void sessionsThatOnlyReadAreNotTakenForAServerThatDoes() {
        String readOnly = server.jdbcUrl(database) + "&sessionVariables=tx_read_only=ON";
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> Locks.builder(on(TestServer.dataSource(readOnly)))
                        .build()
                        .tryAcquire("k"))
                .withMessageContaining("tx_read_only")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.MISCONFIGURED));
    }

    private List<Finding> examined(String sessionVariables) {
        return on(TestServer.dataSource(server.jdbcUrl(database) + "&sessionVariables=" + sessionVariables))
                .ability(SelfDiagnosis.class)
                .orElseThrow()
                .diagnose();
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

    private SchemaControl installIn(String other) {
        SchemaControl schema = on(TestServer.dataSource(server, other))
                .ability(SchemaControl.class)
                .orElseThrow();
        schema.installSchema();
        return schema;
    }
}
