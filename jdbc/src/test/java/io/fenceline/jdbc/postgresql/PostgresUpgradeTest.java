package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A store that was made by version 1 of the schema, and roles that may not do all that version 2 would have them do. */
@Timeout(120)
class PostgresUpgradeTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final int THREADS = 4;
    private static final int CYCLES = 25;

    private final PostgresServer server = TestServer.shared();
    private final String schema = TestServer.newSchema(server);
    private final String role = "role_of_" + schema;
    private final LockBackend owner = JdbcLockBackend.on(TestServer.dataSource(server), options());
    private int count;

    @BeforeEach
    void makeVersion1() {
        server.execute(
                "postgres",
                "SET search_path TO " + schema + ";" + TestServer.version1() + "; CREATE ROLE " + role
                        + " LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA " + schema + " TO " + role
                        + "; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA " + schema + " TO " + role);
    }

    @AfterEach
    void remove() {
        server.execute("postgres", "DROP SCHEMA " + schema + " CASCADE; DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    @Test
    @Tag("G2")
    void installingAddsWhatIsMissingAndKeepsLeasesAndTokens() {
        LockId held = LockId.random();
        long token = granted(owner, held);
        assertThat(schema(owner).schemaProblems()).isEmpty();
        assertThat(functions(owner).severity()).isEqualTo(Severity.WARNING);
        assertThat(functions(owner).detail())
                .contains("version 1", schema + ".fenceline_lock_acquire_1", schema + ".fenceline_lock_succeed_1");

        schema(owner).installSchema();
        schema(owner).installSchema();

        assertThat(functions(owner).severity()).isEqualTo(Severity.OK);
        assertThat(granted(owner, held)).as("the same grant").isEqualTo(token);
        owner.release(KEY, held);
        assertThat(granted(owner, LockId.random())).isGreaterThan(token);
    }

    /** The tables are another's. */
    @Test
    void theFirstChangeOfAnOpenedStoreAddsThemIfTheRoleMay() {
        server.execute("postgres", "GRANT CREATE ON SCHEMA " + schema + " TO " + role);
        try (LockBackend opened = Backends.open(uriOfRole())) {
            assertThat(functions(owner).severity()).isEqualTo(Severity.WARNING);

            granted(opened, LockId.random());

            assertThat(functions(owner).severity()).isEqualTo(Severity.OK);
        }
    }

    /** Else a table beside it would be made, empty and found first. */
    @Test
    @Tag("G2")
    void theyAreMadeBesideTheTableWhateverSchemaComesFirst() {
        server.execute("postgres", "CREATE SCHEMA \"First of " + schema + "\"");
        PGSimpleDataSource elsewhere = TestServer.dataSource(server);
        elsewhere.setOptions("-c search_path=\"First\\ of\\ " + schema + "\"," + schema);
        LockBackend backend = JdbcLockBackend.on(elsewhere, JdbcOptions.defaults());
        long token = granted(owner, KEY, LockId.random());

        schema(backend).installSchema();

        assertThat(functions(owner).severity()).isEqualTo(Severity.OK);
        assertThat(backend.acquire(request(KEY, LockId.random()))).isNotInstanceOf(Granted.class);
        assertThat(token).isPositive();
        server.execute("postgres", "DROP SCHEMA \"First of " + schema + "\""); // fails if anything was made in it
    }

    @Test
    void aRoleThatMayNotMakeFunctionsLocksWithoutThem() {
        try (LockBackend opened = Backends.open(uriOfRole())) {
            LockId held = LockId.random();
            granted(opened, held);
            assertThat(succeeded(opened, held)).isTrue();

            schema(opened).installSchema();
            assertThat(functions(opened).severity()).isEqualTo(Severity.WARNING);
            assertThat(functions(opened).remedy()).contains("schema print");
        }
    }

    @Test
    void aRoleThatMayNotExecuteThemLocksWithoutThem() {
        schema(owner).installSchema();
        server.execute("postgres", "REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA " + schema + " FROM PUBLIC");

        try (LockBackend opened = Backends.open(uriOfRole())) {
            LockId held = LockId.random();
            granted(opened, held);
            assertThat(succeeded(opened, held)).isTrue();
            assertThat(functions(opened).severity()).isEqualTo(Severity.WARNING);
            assertThat(functions(opened).remedy()).contains("EXECUTE");
        }
    }

    @Test
    void functionsThatSomebodyChangedAreCalledAndFoundOut() {
        schema(owner).installSchema();
        LockId held = LockId.random();
        granted(owner, held);
        change("acquire");
        change("succeed");

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> granted(owner, held))
                .withMessageContaining("acquire was changed");
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> succeeded(owner, held))
                .withMessageContaining("succeed was changed");
        assertThat(functions(owner).severity()).isEqualTo(Severity.PROBLEM);
        server.execute(
                "postgres", "SET search_path TO " + schema + ";" + schema(owner).schemaScript());
        assertThat(functions(owner).severity()).isEqualTo(Severity.OK);
    }

    private void change(String function) {
        server.execute(
                "postgres",
                "DO $do$ BEGIN EXECUTE (SELECT regexp_replace(pg_get_functiondef(to_regproc('" + schema
                        + ".fenceline_lock_" + function + "_1')), 'BEGIN', 'BEGIN RAISE ''" + function
                        + " was changed'';')); END $do$");
    }

    /** A table without functions in one schema, and one with functions in another, both of one name. */
    @ParameterizedTest
    @Tag("G1")
    @ValueSource(booleans = {true, false})
    void functionsOfAnotherTableAreNotUsed(boolean namedBySearchPath) {
        String other = TestServer.newSchema(server);
        try {
            server.execute(
                    "postgres",
                    "SET search_path TO " + other + ";" + TestServer.version1()
                            + ScriptFiles.read(PostgresLocks.class, "schema-2.sql"));
            PGSimpleDataSource source = TestServer.dataSource(server);
            source.setOptions("-c search_path=" + (namedBySearchPath ? schema + "," + other : other));
            if (!namedBySearchPath) { // they are beside the table that is named, and find another
                server.execute(
                        "postgres",
                        "SET search_path TO " + schema + ";" + ScriptFiles.read(PostgresLocks.class, "schema-2.sql"));
            }
            JdbcOptions options = namedBySearchPath ? JdbcOptions.defaults() : options();
            LockBackend backend = JdbcLockBackend.on(source, options);

            LockId held = LockId.random();
            granted(backend, held);
            assertThat(owner.lookup(KEY)).isPresent();
            assertThat(succeeded(backend, held)).isTrue();
            assertThat(owner.lookup(held)).isEmpty();
            assertThat(owner.lookup(KEY)).isPresent();
        } finally {
            server.execute("postgres", "DROP SCHEMA " + other + " CASCADE");
        }
    }

    /** As processes of an old and a new version do while a system is upgraded. */
    @Test
    @Tag("G1")
    void processesThatCallThemAndOthersThatDoNotKeepEachOtherOut() throws Exception {
        schema(owner).installSchema();
        server.execute("postgres", "REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA " + schema + " FROM PUBLIC");
        try (HikariDataSource pool = new HikariDataSource();
                LockBackend without = Backends.open(uriOfRole())) {
            pool.setJdbcUrl(server.jdbcUrl("postgres"));
            LockBackend with = JdbcLockBackend.on(pool, options());
            List<FutureTask<Void>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(countUp(with));
                threads.add(countUp(without));
            }
            for (FutureTask<Void> thread : threads) {
                thread.get();
            }
            with.close();
        }
        assertThat(count).isEqualTo(2 * THREADS * CYCLES);
    }

    /** Each has an engine of its own, so that all go by the store. */
    private FutureTask<Void> countUp(LockBackend backend) {
        LockOptions patient = LockOptions.defaults().withMaxWait(Duration.ofMinutes(1));
        FutureTask<Void> task = new FutureTask<>(() -> {
            try (Locks locks = Locks.over(backend)) {
                for (int i = 0; i < CYCLES; i++) {
                    try (Lease lease = locks.acquire("counter", patient)) {
                        int before = count;
                        Thread.yield();
                        lease.ensureHeld();
                        count = before + 1;
                    }
                }
            }
            return null;
        });
        new Thread(task).start();
        return task;
    }

    private JdbcOptions options() {
        return JdbcOptions.defaults().withTable(schema + ".fenceline_lock");
    }

    private String uriOfRole() {
        return "postgresql://" + role + ":secret@127.0.0.1:" + server.port() + "/postgres?table=" + schema
                + ".fenceline_lock";
    }

    private static SchemaControl schema(LockBackend backend) {
        return backend.ability(SchemaControl.class).orElseThrow();
    }

    private static Finding functions(LockBackend backend) {
        return backend.ability(SelfDiagnosis.class).orElseThrow().diagnose().stream()
                .filter(finding -> finding.subject().equals("functions"))
                .findFirst()
                .orElseThrow();
    }

    private static AcquireRequest request(LockKey key, LockId id) {
        return AcquireRequest.of(key, id, Duration.ofMinutes(1), Holder.of("me"));
    }

    private static long granted(LockBackend backend, LockId id) {
        return granted(backend, KEY, id);
    }

    private static long granted(LockBackend backend, LockKey key, LockId id) {
        return ((Granted) backend.acquire(request(key, id))).grant().token().value();
    }

    private static boolean succeeded(LockBackend backend, LockId last) {
        Succession succession = backend.ability(Succession.class).orElseThrow();
        return succession.succeed(last, request(KEY, LockId.random()), false).outcome() instanceof Granted;
    }
}
