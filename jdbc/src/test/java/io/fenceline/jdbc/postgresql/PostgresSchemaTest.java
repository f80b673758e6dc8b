package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Making tables, checking them, and examining the server. */
@Timeout(120)
class PostgresSchemaTest {

    private final PostgresServer server = TestServer.shared();
    private final String name = TestServer.newSchema(server);
    private final PGSimpleDataSource source = TestServer.dataSource(server);
    private final LockBackend backend = on(name + ".my_locks");
    private final SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();

    @AfterEach
    void remove() {
        server.execute("postgres", "DROP SCHEMA " + name + " CASCADE");
    }

    @Test
    void isMadeUnderAnyNameAndThenWithoutProblems() {
        assertThat(schema.schemaProblems())
                .contains("table " + name + ".my_locks is missing", "table " + name + ".my_locks_audit is missing");

        schema.installSchema();
        schema.installSchema();

        assertThat(schema.schemaProblems()).isEmpty();
        source.setOptions("-c quote_all_identifiers=on");
        assertThat(schema.schemaProblems()).isEmpty();
        assertThat(schema.schemaScript()).contains(name + ".my_locks").doesNotContain("fenceline_lock");
    }

    @Test
    void isTheSameIfTheScriptIsRunByHandTwice() {
        server.execute("postgres", schema.schemaScript());
        server.execute("postgres", schema.schemaScript());

        assertThat(schema.schemaProblems()).isEmpty();
    }

    @Test
    void canBeInstalledByManyAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                ends.add(threads.submit(schema::installSchema));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(schema.schemaProblems()).isEmpty();
    }

    @Test
    void isComparedWithWhatIsThere() {
        schema.installSchema();
        server.execute(
                "postgres",
                "ALTER TABLE " + name + ".my_locks ALTER holder TYPE varchar(10), DROP tokens;"
                        + "DROP TRIGGER keeps_token_counters ON " + name + ".my_locks");

        assertThat(schema.schemaProblems())
                .hasSize(3)
                .anyMatch(problem -> problem.contains("column holder") && problem.contains("character varying(10)"))
                .anyMatch(problem -> problem.contains("column tokens") && problem.contains("missing"))
                .anyMatch(problem -> problem.contains("trigger"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ADD UNIQUE (lock_key); CREATE UNIQUE INDEX ON my_locks (lock_id)",
                "ADD id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ADD UNIQUE (lock_key)",
                "ADD PRIMARY KEY (lock_key) INCLUDE (lock_id)"
            })
    void anyUniqueIndexOfTheKeyAloneWillDo(String key) {
        schema.installSchema();
        replaceKey(key);

        assertThat(schema.schemaProblems()).isEmpty();
        assertThat(backend.acquire(request())).isInstanceOf(Acquisition.Granted.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ADD UNIQUE (lock_key, holder)",
                "ADD UNIQUE (holder)",
                "ADD UNIQUE (lock_key) DEFERRABLE",
                "ALTER fence DROP DEFAULT; CREATE INDEX ON my_locks (lock_key)",
                "ALTER fence DROP DEFAULT; CREATE UNIQUE INDEX ON my_locks (lock_key) WHERE fence > 0",
                "ALTER fence DROP DEFAULT; CREATE UNIQUE INDEX ON my_locks (lock_key, lower(holder))"
            })
    void otherIndexesAreNoKey(String key) {
        schema.installSchema();
        replaceKey(key);

        assertThat(schema.schemaProblems()).containsExactly("the primary key of " + name + ".my_locks is missing");
    }

    private void replaceKey(String key) {
        server.execute(
                "postgres",
                "SET search_path TO " + name
                        + "; ALTER TABLE my_locks DROP CONSTRAINT my_locks_pkey; ALTER TABLE my_locks " + key);
    }

    @Test
    void aTriggerThatIsSwitchedOffIsMissing() {
        schema.installSchema();
        server.execute("postgres", "ALTER TABLE " + name + ".my_locks DISABLE TRIGGER keeps_token_counters");

        assertThat(schema.schemaProblems())
                .containsExactly("the trigger keeps_token_counters of " + name + ".my_locks is missing");
    }

    private static AcquireRequest request() {
        return AcquireRequest.of(LockKey.of("invoice:42"), LockId.random(), Duration.ofMinutes(1), Holder.of("me"));
    }

    @Test
    void keepsRowsFromBeingDeletedSinceTokensWouldStartAgain() {
        schema.installSchema();
        backend.acquire(
                AcquireRequest.of(LockKey.of("invoice:42"), LockId.random(), Duration.ofMinutes(1), Holder.of("me")));

        assertThatIllegalStateException()
                .isThrownBy(() -> server.execute("postgres", "DELETE FROM " + name + ".my_locks"))
                .withMessageContaining("never deleted");
        assertThatIllegalStateException()
                .isThrownBy(() -> server.execute("postgres", "TRUNCATE " + name + ".my_locks"))
                .withMessageContaining("never deleted");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Locks", "a.b.c", "x; drop table y", "a-b", "1st", ".x", "\"quoted\""})
    void hasNoNameThatIsMoreThanAName(String bad) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcOptions.defaults().withTable(bad))
                .withMessageContaining("'" + bad + "'");
    }

    @Test
    void aServerInGoodOrderHasNoFindingsThatNeedAnything() {
        schema.installSchema();

        assertThat(diagnose(backend)).allMatch(finding -> finding.severity() == Severity.OK);
    }

    @Test
    void aServerThatForgetsOrRefusesIsFoundOut() {
        schema.installSchema();
        server.execute(
                "postgres",
                "CREATE ROLE guest LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA " + name
                        + " TO guest; ALTER ROLE guest SET synchronous_commit = off;"
                        + " ALTER ROLE guest SET default_transaction_read_only = on");
        PGSimpleDataSource guest = new PGSimpleDataSource();
        guest.setUrl("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres");
        guest.setUser("guest");
        guest.setPassword("secret");
        try {
            List<Finding> findings =
                    diagnose(JdbcLockBackend.on(guest, JdbcOptions.defaults().withTable(name + ".my_locks")));

            assertThat(findings)
                    .filteredOn(finding -> finding.severity() != Severity.OK)
                    .extracting(Finding::subject)
                    .containsExactlyInAnyOrder("synchronous_commit", "writing", "privileges");
            assertThat(findings)
                    .allSatisfy(finding ->
                            assertThat(finding.remedy().isEmpty()).isEqualTo(finding.severity() == Severity.OK));
        } finally {
            server.execute("postgres", "DROP OWNED BY guest; DROP ROLE guest");
        }
    }

    @Test
    void aRoleThatHasTablesOfItsOwnIsFoundOut() {
        server.execute("postgres", "CREATE ROLE owner LOGIN PASSWORD 'secret'; CREATE SCHEMA AUTHORIZATION owner");
        PGSimpleDataSource owner = new PGSimpleDataSource();
        owner.setUrl("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres");
        owner.setUser("owner");
        owner.setPassword("secret");
        try {
            assertThat(diagnose(JdbcLockBackend.on(owner, JdbcOptions.defaults())))
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .extracting(Finding::subject)
                    .contains("search_path");
            server.execute("postgres", "CREATE TABLE public.a_lock (id int)");
            assertThat(diagnose(JdbcLockBackend.on(owner, JdbcOptions.defaults().withTable("a_lock"))))
                    .filteredOn(finding -> finding.subject().equals("search_path"))
                    .extracting(Finding::severity)
                    .as("with the table of all roles")
                    .containsOnly(Severity.OK);
            server.execute("postgres", "CREATE TABLE owner.a_lock (id int)");
            assertThat(diagnose(JdbcLockBackend.on(
                            TestServer.dataSource(server),
                            JdbcOptions.defaults().withTable("a_lock"))))
                    .filteredOn(finding -> finding.subject().equals("search_path"))
                    .extracting(Finding::detail)
                    .as("by the other role")
                    .allSatisfy(detail -> assertThat(detail).contains("there are others in owner"));
            owner.setCurrentSchema("owner");
            assertThat(diagnose(JdbcLockBackend.on(owner, JdbcOptions.defaults().withTable("a_lock"))))
                    .filteredOn(finding -> finding.subject().equals("search_path"))
                    .extracting(Finding::severity)
                    .as("with a schema that is named")
                    .containsOnly(Severity.OK);
            owner.setCurrentSchema("not_there");
            LockBackend lost = JdbcLockBackend.on(owner, JdbcOptions.defaults());
            assertThat(diagnose(lost))
                    .filteredOn(finding -> finding.subject().equals("search_path"))
                    .extracting(Finding::detail)
                    .allSatisfy(detail -> assertThat(detail).contains("no schema that exists"));
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() ->
                            lost.ability(SchemaControl.class).orElseThrow().installSchema())
                    .withMessageContaining("?table=SCHEMA.fenceline_lock");
            owner.setCurrentSchema(null);
            assertThat(diagnose(JdbcLockBackend.on(owner, JdbcOptions.defaults().withTable("owner.fenceline_lock"))))
                    .filteredOn(finding -> finding.subject().equals("search_path"))
                    .extracting(Finding::severity)
                    .containsOnly(Severity.OK);
        } finally {
            server.execute(
                    "postgres", "DROP SCHEMA owner CASCADE; DROP ROLE owner; DROP TABLE IF EXISTS public.a_lock");
        }
    }

    @Test
    void aTableThatForgetsOrSwallowsWritesIsFoundOut() {
        schema.installSchema();
        server.execute(
                "postgres",
                ("ALTER TABLE %1$s.my_locks SET UNLOGGED;"
                                + " CREATE FUNCTION %1$s.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
                                + " CREATE TRIGGER swallows BEFORE UPDATE ON %1$s.my_locks"
                                + " FOR EACH ROW EXECUTE FUNCTION %1$s.nothing();"
                                + " CREATE RULE keeps AS ON UPDATE TO %1$s.my_locks_fences DO INSTEAD NOTHING")
                        .formatted(name));

        assertThat(diagnose(backend))
                .filteredOn(finding -> finding.severity() != Severity.OK)
                .extracting(finding -> finding.subject() + " " + finding.severity() + " "
                        + finding.detail().replaceFirst(".*: ", ""))
                .containsExactly(
                        "logging PROBLEM " + name + ".my_locks",
                        "triggers WARNING rule keeps on " + name + ".my_locks_fences, trigger swallows on " + name
                                + ".my_locks");
    }

    private static List<Finding> diagnose(LockBackend examined) {
        return examined.ability(SelfDiagnosis.class).orElseThrow().diagnose();
    }

    private LockBackend on(String table) {
        return JdbcLockBackend.on(source, JdbcOptions.defaults().withTable(table));
    }
}
