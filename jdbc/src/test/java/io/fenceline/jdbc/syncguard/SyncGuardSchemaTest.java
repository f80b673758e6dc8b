package io.fenceline.jdbc.syncguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.LockSchema;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.time.Duration;
import java.util.List;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** SyncGuard's tables: made, checked, taken as they are; and where they cannot be. */
@Timeout(120)
class SyncGuardSchemaTest {

    /** As SyncGuard makes them, with the two columns that are up to its users. */
    private static final String THEIRS = """
            CREATE TABLE %1$s.app_locks (
              key TEXT PRIMARY KEY, lock_id TEXT NOT NULL, expires_at_ms BIGINT NOT NULL, acquired_at_ms BIGINT NOT NULL,
              fence TEXT NOT NULL, user_key TEXT NOT NULL,
              expires_at_ts TIMESTAMPTZ GENERATED ALWAYS AS (to_timestamp(expires_at_ms / 1000.0)) STORED,
              acquired_at_ts TIMESTAMPTZ GENERATED ALWAYS AS (to_timestamp(acquired_at_ms / 1000.0)) STORED);
            CREATE UNIQUE INDEX idx_app_locks_lock_id ON %1$s.app_locks (lock_id);
            CREATE INDEX idx_app_locks_expires ON %1$s.app_locks (expires_at_ms);
            CREATE TABLE %1$s.app_fences (fence_key TEXT PRIMARY KEY, fence BIGINT NOT NULL DEFAULT 0, key_debug TEXT)""";

    private final PostgresServer server = TestServer.shared();
    private final String name = TestServer.newSchema(server);
    private final PGSimpleDataSource source = TestServer.dataSource(server);
    private final LockBackend backend = JdbcLockBackend.on(
            source, JdbcOptions.defaults().withSchema(LockSchema.syncGuard(name + ".app_locks", name + ".app_fences")));
    private final SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();

    @AfterEach
    void remove() {
        backend.close();
        server.execute("postgres", "DROP SCHEMA " + name + " CASCADE");
    }

    @Test
    void isMadeUnderItsNamesAndThenWithoutProblems() {
        assertThat(schema.schemaProblems())
                .containsExactlyInAnyOrder(
                        "table " + name + ".app_locks is missing", "table " + name + ".app_fences is missing");

        schema.installSchema();
        schema.installSchema();
        server.execute("postgres", schema.schemaScript());

        assertThat(schema.schemaProblems()).isEmpty();
        assertThat(schema.schemaScript())
                .contains(name + "\".\"app_locks\"", name + "\".\"app_fences\"", "idx_app_locks_lock_id")
                .doesNotContain("syncguard_", "idx_" + name);
        assertLocks();
    }

    @Test
    void thatSyncGuardMadeIsAsGood() {
        server.execute("postgres", THEIRS.formatted(name));

        assertThat(schema.schemaProblems()).isEmpty();
        source.setOptions("-c quote_all_identifiers=on");
        assertThat(schema.schemaProblems()).isEmpty();
        assertLocks();
    }

    /** A new table of counters beside SyncGuard's locks would mint its tokens again. */
    @ParameterizedTest
    @CsvSource({"app_locks, app_fence", "app_lock, app_fences"})
    void isNotHalfMadeWhereANameIsWrong(String locks, String fences) {
        server.execute("postgres", THEIRS.formatted(name));
        JdbcOptions wrong =
                JdbcOptions.defaults().withSchema(LockSchema.syncGuard(name + "." + locks, name + "." + fences));
        try (LockBackend other = JdbcLockBackend.on(TestServer.dataSource(server), wrong)) {
            SchemaControl otherSchema = other.ability(SchemaControl.class).orElseThrow();

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(otherSchema::installSchema)
                    .withMessageContaining("fenceTableName")
                    .withMessageContaining("is missing");
            assertThat(otherSchema.schemaProblems()).hasSize(1);
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> other.acquire(AcquireRequest.of(
                            LockKey.of("k"), LockId.random(), Duration.ofMinutes(1), Holder.of("us"))))
                    .withMessageContaining("fenceTableName")
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
        }
    }

    @Test
    void isCheckedForOurTriggerWhichKeepsSyncGuardFromReleasingUnlessItIsDisabled() {
        server.execute("postgres", THEIRS.formatted(name));
        server.execute("postgres", """
                CREATE FUNCTION %1$s.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER keeps_token_counters BEFORE DELETE ON %1$s.app_locks
                   FOR EACH ROW EXECUTE FUNCTION %1$s.refuse()""".formatted(name));
        assertThat(schema.schemaProblems())
                .singleElement()
                .asString()
                .contains("DROP TRIGGER keeps_token_counters ON " + name + ".app_locks");

        server.execute("postgres", "ALTER TABLE " + name + ".app_locks DISABLE TRIGGER keeps_token_counters");
        assertThat(schema.schemaProblems()).isEmpty();
    }

    @Test
    void isCheckedForColumnsThatDifferAndIndexesThatAreMissing() {
        schema.installSchema();
        server.execute(
                "postgres",
                "DROP INDEX " + name + ".idx_app_locks_lock_id; ALTER TABLE " + name
                        + ".app_fences ALTER fence TYPE text, DROP key_debug");

        assertThat(schema.schemaProblems())
                .containsExactlyInAnyOrder(
                        "lock_id of " + name + ".app_locks has no unique index",
                        "column fence of " + name
                                + ".app_fences is fence text NOT NULL; it should be: fence bigint NOT NULL",
                        "column key_debug of " + name + ".app_fences is missing; it should be: key_debug text");
    }

    @Test
    void isExaminedWithTheServer() {
        SelfDiagnosis diagnosis = backend.ability(SelfDiagnosis.class).orElseThrow();
        assertThat(diagnosis.diagnose())
                .filteredOn(finding -> finding.severity() == Severity.PROBLEM)
                .extracting(Finding::subject)
                .containsExactly("schema");

        schema.installSchema();

        assertThat(diagnosis.diagnose()).allMatch(finding -> finding.severity() == Severity.OK);
        assertThat(diagnosis.diagnose()).extracting(Finding::subject).contains("privileges", "schema", "version");
    }

    @Test
    void isNamedInAUri() {
        String uri = server.uri() + "&layout=syncguard&table=" + name + ".app_locks&fences=" + name + ".app_fences";
        schema.installSchema();
        try (LockBackend opened = Backends.open(uri)) {
            LockKey key = LockKey.of("by uri");
            LockId lockId = LockId.random();
            opened.acquire(AcquireRequest.of(key, lockId, Duration.ofMinutes(1), Holder.of("us")));

            assertThat(backend.release(key, lockId)).isTrue();
        }
    }

    @Test
    void mayHaveNamesThatAreReservedWords() {
        try (LockBackend order = JdbcLockBackend.on(
                TestServer.dataSource(server),
                JdbcOptions.defaults().withSchema(LockSchema.syncGuard(name + ".order", name + ".user")))) {
            SchemaControl reserved = order.ability(SchemaControl.class).orElseThrow();
            reserved.installSchema();
            assertThat(reserved.schemaProblems()).isEmpty();
            assertThat(order.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                    .filteredOn(finding -> finding.severity() == Severity.PROBLEM)
                    .isEmpty();
            AcquireRequest request =
                    AcquireRequest.of(LockKey.of("any"), LockId.random(), Duration.ofMinutes(1), Holder.of("us"));
            assertThat(order.acquire(request)).isInstanceOf(Granted.class);
            LockCatalog catalog = order.ability(LockCatalog.class).orElseThrow();
            assertThat(catalog.list("", 10)).hasSize(1);
            assertThat(catalog.lastToken(request.key())).isPresent();
            assertThat(order.extend(request.key(), request.lockId(), Duration.ofMinutes(2)))
                    .isPresent();
            assertThat(order.release(request.key(), request.lockId())).isTrue();
        }
    }

    /** A row that somebody changed by hand, or that a newer Unicode was needed for, hides no other. */
    @Test
    void isListedButForWhatCannotBeRead() {
        schema.installSchema();
        for (String key : List.of("a", "b", "c", "d")) {
            backend.acquire(
                    AcquireRequest.of(LockKey.of(key), LockId.random(), Duration.ofMinutes(1), Holder.of("us")));
        }
        server.execute(
                "postgres",
                "UPDATE " + name + ".app_locks SET user_key = U&'\\0378' WHERE key = 'a'; UPDATE " + name
                        + ".app_locks SET fence = 'x' WHERE key = 'b'; UPDATE " + name
                        + ".app_locks SET fence = '1000000000000000' WHERE key = 'c'; UPDATE " + name
                        + ".app_fences SET fence = 1000000000000000 WHERE fence_key = 'fence:c'");
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();

        assertThat(catalog.list("", 10))
                .extracting(record -> record.raw().key().value())
                .containsExactly("c", "d");
        assertThat(backend.lookup(LockKey.of("c")).orElseThrow().token().value())
                .isEqualTo(FencingToken.MAX_VALUE);
        assertThat(catalog.lastToken(LockKey.of("c"))).contains(FencingToken.of(FencingToken.MAX_VALUE));
        assertThat(catalog.raiseToken(LockKey.of("c"), FencingToken.of(5), Holder.of("op")))
                .isEqualTo(FencingToken.of(FencingToken.MAX_VALUE));
        assertThatThrownBy(() -> catalog.forceRelease(LockKey.of("c"), Holder.of("op")))
                .hasMessageContaining("no token left");
        assertThat(catalog.keepsRecords()).isFalse();
    }

    @Test
    void isLookedThroughByPrefixesInAnyNormalForm() {
        schema.installSchema();
        backend.acquire(
                AcquireRequest.of(LockKey.of("caf\u00e9"), LockId.random(), Duration.ofMinutes(1), Holder.of("us")));

        assertThat(backend.ability(LockCatalog.class).orElseThrow().list("cafe\u0301", 10))
                .hasSize(1);
    }

    @Test
    void hasNoSignalsSinceTheOtherSideSendsNone() {
        assertThat(backend.ability(ReleaseSignals.class)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Locks", "a b", "locks;", "\"locks\"", "", "1locks"})
    void hasPlainNames(String bad) {
        assertThatIllegalArgumentException().isThrownBy(() -> LockSchema.syncGuard(bad, "fences"));
        assertThatIllegalArgumentException().isThrownBy(() -> LockSchema.syncGuard("locks", bad));
    }

    @Test
    void hasTwoNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockSchema.syncGuard("locks", "locks"))
                .withMessageContaining("two tables");
    }

    @Test
    void isOnPostgresOnly() {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setUrl("jdbc:h2:mem:syncguard");
        JdbcOptions options = JdbcOptions.defaults().withSchema(LockSchema.syncGuard("locks", "fences"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcLockBackend.on(h2, options))
                .withMessageContaining("PostgreSQL and this is H2");
    }

    private void assertLocks() {
        AcquireRequest request =
                AcquireRequest.of(LockKey.of("any"), LockId.random(), Duration.ofMinutes(1), Holder.of("us"));
        assertThat(backend.acquire(request)).isInstanceOf(Granted.class);
        assertThat(backend.lookup(request.lockId())).isPresent();
        assertThat(backend.extend(request.key(), request.lockId(), Duration.ofMinutes(2)))
                .isPresent();
        assertThat(backend.release(request.key(), request.lockId())).isTrue();
    }
}
