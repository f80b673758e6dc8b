package io.fenceline.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever only looks at a store makes nothing in it, and nobody changes a table that is not ours. */
@Timeout(120)
@Tag("G8")
class LookingTest {

    private static final LockKey KEY = LockKey.of("nightly");
    private static final Holder OPERATOR = Holder.of("operator");

    private static AcquireRequest request() {
        return AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me"));
    }

    private static <T> T ability(LockBackend backend, Class<T> type) {
        return backend.ability(type).orElseThrow();
    }

    /** Does all that looks, and finds nothing. */
    private static void look(LockBackend backend) {
        assertThat(backend.lookup(KEY)).isEmpty();
        assertThat(backend.lookup(LockId.random())).isEmpty();
        assertThat(backend.isLocked(KEY)).isFalse();
        assertThat(ability(backend, LockCatalog.class).list("", 10)).isEmpty();
        assertThat(ability(backend, LockCatalog.class).lastToken(KEY)).isEmpty();
        assertThat(ability(backend, FenceCatalog.class).list("", 10)).isEmpty();
        assertThat(ability(backend, LockCatalog.class).forceRelease(KEY, OPERATOR))
                .as("what releases nothing")
                .isEmpty();
        assertThat(ability(backend, FenceCatalog.class).rebind("row", KEY, LockKey.of("other"), OPERATOR))
                .isFalse();
        backend.ability(TriggerControl.class)
                .ifPresent(triggers -> assertThat(triggers.observed()).isEmpty());
        assertThat(ability(backend, SchemaControl.class).schemaProblems()).isNotEmpty();
        assertThat(ability(backend, SchemaControl.class).schemaScript()).isNotEmpty();
    }

    /** The first change makes what it needs. */
    private static void change(LockBackend backend) {
        assertThat(backend.acquire(request())).isInstanceOf(Granted.class);
        assertThat(backend.isLocked(KEY)).isTrue();
        assertThat(ability(backend, SchemaControl.class).schemaProblems()).isEmpty();
    }

    @Nested
    class OnPostgres {

        private final PostgresServer server = TestServer.shared();
        private final String schema = TestServer.newSchema(server);
        private final String uri = server.uri() + "&table=" + schema + ".locks";

        @Test
        void makesNoTableBeforeTheFirstChange() throws SQLException {
            try (LockBackend backend = Backends.open(uri)) {
                look(backend);
                ability(backend, SelfDiagnosis.class).diagnose();
                assertThat(objects()).isEmpty();

                change(backend);
                assertThat(objects()).contains("locks", "locks_audit", "locks_fences");
            }
        }

        @Test
        void makesTheTablesForAGuardThatIsUsedFirst() throws SQLException {
            try (LockBackend backend = Backends.open(uri)) {
                ability(backend, FenceCatalog.class).guard().claim("row", new FenceStamp(KEY, FencingToken.of(3)));

                assertThat(ability(backend, FenceCatalog.class).list("", 10)).containsOnlyKeys("row");
            }
        }

        @Test
        void leavesTablesOfSyncGuardAsTheyAreWhenTheLayoutIsForgotten() throws SQLException {
            makeTablesOfSyncGuard();
            List<String> before = objects();

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> Backends.open(uri))
                    .withMessageContaining("table " + schema + ".locks")
                    .withMessageContaining("layout=syncguard")
                    .withMessageContaining("nothing was changed");
            SchemaControl ours = ability(
                    JdbcLockBackend.on(
                            TestServer.dataSource(server),
                            JdbcOptions.defaults().withTable(schema + ".locks")),
                    SchemaControl.class);
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(ours::installSchema)
                    .withMessageContaining("layout=syncguard");

            assertThat(objects()).isEqualTo(before);
            server.execute("postgres", "DELETE FROM " + schema + ".locks");
        }

        @Test
        void leavesTablesOfAnyOtherProgramAsTheyAre() throws SQLException {
            server.execute("postgres", "CREATE TABLE " + schema + ".locks (id int PRIMARY KEY, name text)");
            List<String> before = objects();

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> Backends.open(uri))
                    .withMessageContaining("lock_key")
                    .withMessageContaining("table=NAME");

            assertThat(objects()).isEqualTo(before);
        }

        @Test
        void leavesOurOwnTablesAsTheyAreWhenTheLayoutIsTooMuch() throws SQLException {
            try (LockBackend ours = Backends.open(uri)) {
                change(ours);
            }
            List<String> before = objects();

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> Backends.open(shared()))
                    .withMessageContaining("leave layout=syncguard out");

            assertThat(objects()).isEqualTo(before);
        }

        @Test
        void makesNoTablesOfSyncGuardUnlessToldTo() throws SQLException {
            try (LockBackend backend = Backends.open(shared())) {
                assertThatThrownBy(() -> backend.acquire(request())).hasMessageContaining("fenceline schema install");
                assertThatThrownBy(() -> backend.lookup(KEY)).hasMessageContaining("fenceline schema install");
                assertThat(objects()).isEmpty();

                ability(backend, SchemaControl.class).installSchema();
                assertThat(backend.acquire(request())).isInstanceOf(Granted.class);
            }
        }

        @Test
        void tellsOfATriggerThatKeepsSyncGuardFromReleasing() throws SQLException {
            makeTablesOfSyncGuard();
            server.execute(
                    "postgres",
                    "CREATE FUNCTION " + schema + ".f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''x''; END';"
                            + "CREATE TRIGGER keeps_token_counters BEFORE DELETE OR TRUNCATE ON " + schema
                            + ".locks FOR EACH STATEMENT EXECUTE FUNCTION " + schema + ".f()");
            try (LockBackend backend = Backends.open(shared())) {
                assertThat(ability(backend, SchemaControl.class).schemaProblems())
                        .singleElement()
                        .asString()
                        .contains("DROP TRIGGER keeps_token_counters ON ", schema);
                assertThat(ability(backend, SelfDiagnosis.class).diagnose())
                        .filteredOn(finding -> finding.subject().equals("schema"))
                        .singleElement()
                        .satisfies(finding -> assertThat(finding.detail()).contains("DROP TRIGGER"));
            }
        }

        private String shared() {
            return uri + "&layout=syncguard&fences=" + schema + ".fences";
        }

        private void makeTablesOfSyncGuard() {
            try (LockBackend backend = Backends.open(shared())) {
                ability(backend, SchemaControl.class).installSchema();
            }
        }

        /** Tables, indexes, triggers and functions. */
        private List<String> objects() throws SQLException {
            try (Connection connection = TestServer.dataSource(server).getConnection()) {
                return strings(
                        connection,
                        "SELECT relname FROM pg_class WHERE relnamespace = '" + schema + "'::regnamespace UNION ALL"
                                + " SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
                                + " WHERE relnamespace = '" + schema + "'::regnamespace UNION ALL"
                                + " SELECT proname FROM pg_proc WHERE pronamespace = '" + schema
                                + "'::regnamespace ORDER BY 1");
            }
        }
    }

    @Nested
    class OnMariaDb {

        @Test
        void makesNoTableBeforeTheFirstChangeNorChangesThoseOfOthers() throws SQLException {
            assumeTrue(
                    MariaDbServer.missing().isEmpty(),
                    () -> MariaDbServer.missing().orElse(""));
            try (MariaDbServer server = MariaDbServer.start(Map.of())) {
                String database = server.newDatabase();
                try (LockBackend backend = Backends.open(server.uri(database))) {
                    look(backend);
                    ability(backend, SelfDiagnosis.class).diagnose();
                    assertThat(tables(server, database)).isEmpty();

                    change(backend);
                }
                String other = server.newDatabase();
                server.execute(other, "CREATE TABLE fenceline_lock (id INT PRIMARY KEY)");
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> Backends.open(server.uri(other)))
                        .withMessageContaining("nothing was changed");
                assertThat(tables(server, other)).containsExactly("fenceline_lock");
            }
        }

        private static List<String> tables(MariaDbServer server, String database) throws SQLException {
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl(database))) {
                return strings(
                        connection,
                        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() UNION ALL"
                                + " SELECT routine_name FROM information_schema.routines WHERE routine_schema = DATABASE()");
            }
        }
    }

    @Nested
    class InAFile {

        @TempDir
        Path folder;

        @Test
        void makesNoFileForH2() {
            try (LockBackend backend = Backends.open("h2:" + folder.resolve("locks"))) {
                look(backend);
                assertThat(ability(backend, SelfDiagnosis.class).diagnose())
                        .containsExactly(Finding.ok("store", "there is no database yet; the first lock makes it"));
                assertThat(folder).isEmptyDirectory();

                change(backend);
            }
            assertThat(folder.resolve("locks.mv.db")).isRegularFile();
            try (LockBackend backend = Backends.open("h2:" + folder.resolve("locks"))) {
                assertThat(backend.isLocked(KEY)).isTrue();
            }
        }

        @Test
        void makesNoTablesInAFileOfH2ThatIsThere() throws SQLException {
            String url = "jdbc:h2:async:" + folder.resolve("app");
            try (Connection connection = DriverManager.getConnection(url, "", "");
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE orders (id INT PRIMARY KEY)");
            }
            try (LockBackend backend = Backends.open("h2:" + folder.resolve("app"))) {
                look(backend);
                ability(backend, SelfDiagnosis.class).diagnose();
            }
            try (Connection connection = DriverManager.getConnection(url, "", "")) {
                assertThat(strings(
                                connection,
                                "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'PUBLIC'"))
                        .containsExactly("ORDERS");
            }
        }
    }

    private static List<String> strings(Connection connection, String sql) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }
}
