package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, damage and loss of a store's file. */
class SqliteFileTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    @TempDir
    Path folder;

    @Test
    void isOpenedByUri() {
        try (LockBackend backend = Backends.open("sqlite:" + store())) {
            assertThat(backend.acquire(request())).isInstanceOf(Granted.class);
        }
        assertThat(store()).isRegularFile();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "what?", "100%25", "#1", "l\u00f6cks", "file:x", "'; --"})
    void mayHaveAnyName(String name) {
        try (LockBackend backend = Backends.open("sqlite:" + folder.resolve(name))) {
            assertThat(backend.acquire(request())).isInstanceOf(Granted.class);
            assertThat(folder.resolve(name)).isRegularFile();
        }
    }

    @Test
    void mayBeNamedLikeAParameterButNotInAUri() {
        Path file = folder.resolve("what?mode=memory");
        try (LockBackend backend = open(file)) {
            assertThat(backend.acquire(request())).isInstanceOf(Granted.class);
            assertThat(file).isRegularFile();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"?layout=syncguard", "?table=locks", "?a=b&c=d"})
    void hasNoParameters(String parameters) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backends.open("sqlite:" + store() + parameters))
                .withMessageContaining("a SQLite file has none");
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite:", "sqlite: ", "sqlite::memory:", "sqlite://host/file"})
    void hasToBeNamed(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backends.open(uri))
                .withMessageContaining("'" + uri + "'")
                .withMessageContaining("write ");
    }

    @Test
    void mayLieInTheHomeFolder() {
        assertThat(SqliteBackendProvider.pathOf("sqlite:~/locks.db"))
                .isEqualTo(Path.of(System.getProperty("user.home"), "locks.db"));
        assertThat(SqliteBackendProvider.pathOf("sqlite:locks.db")).isRelative();
    }

    @Test
    void needsItsFolder() {
        Path missing = folder.resolve("missing");

        assertFails(
                () -> open(missing.resolve("locks.db")), ErrorCode.SERVICE_UNAVAILABLE, "mkdir -p '" + missing + "'");
        assertThat(missing).doesNotExist();
    }

    @Test
    void isNoFolder() {
        assertFails(() -> open(folder), ErrorCode.MISCONFIGURED, "it is a folder");
    }

    @Test
    void isADatabase() throws IOException {
        Files.writeString(store(), "This is a letter and no database. ".repeat(100));

        assertFails(() -> open(store()), ErrorCode.MISCONFIGURED, "not a SQLite database");
        assertThat(store()).content().startsWith("This is a letter");
    }

    @Test
    void mayBeEmptyAtFirst() throws IOException {
        Files.createFile(store());

        try (LockBackend backend = open(store())) {
            assertThat(backend.acquire(request())).isInstanceOf(Granted.class);
        }
    }

    @Test
    void isNotTakenFromAnotherProgram() throws SQLException {
        run("CREATE TABLE orders (id INTEGER)");

        assertFails(() -> open(store()), ErrorCode.MISCONFIGURED, "another program's database");
        assertFails(() -> open(store()), ErrorCode.MISCONFIGURED, "read fenceline_fences by SQL");
        run("INSERT INTO orders VALUES (1)");
    }

    @Test
    void isNotTakenFromANewerFenceline() throws SQLException {
        open(store()).close();
        run("PRAGMA user_version = 2");

        assertFails(() -> open(store()), ErrorCode.MISCONFIGURED, "version 2");
    }

    @Test
    @Tag("G10")
    void isReportedAsDamaged() throws IOException {
        try (LockBackend backend = open(store())) {
            backend.acquire(request());
        }
        byte[] content = Files.readAllBytes(store());
        java.util.Arrays.fill(content, 1024, content.length, (byte) 0x55);
        Files.write(store(), content);

        assertFails(
                () -> {
                    try (LockBackend backend = open(store())) {
                        backend.acquire(request());
                    }
                },
                ErrorCode.INTERNAL,
                "damaged");
    }

    /** What follows would be told as done, and never be committed. */
    @Test
    @Tag("G10")
    void isInNoTransactionAfterAnErrorOfTheJvm() throws SQLException {
        try (SqliteStore store = SqliteStore.open(store(), Duration.ofSeconds(10), MachineClock.system())) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> store.changeAll(statements -> {
                        statements.run("CREATE TABLE filler (i)");
                        throw new OutOfMemoryError("thrown by the test");
                    }));

            run("CREATE TABLE of_another_process (i)");
        }
    }

    @Test
    @Tag("G10")
    void mayRunOutOfSpace() {
        // Stands in for a full disk: SQLite fails alike if it may not make the file longer.
        try (SqliteStore store = SqliteStore.open(store(), Duration.ofSeconds(10), MachineClock.system())) {
            assertFails(
                    () -> store.changeAll(statements -> {
                        statements.one("PRAGMA max_page_count = 1", row -> row.getInt(1));
                        statements.run(
                                "CREATE TABLE filler AS WITH RECURSIVE n(i) AS"
                                        + " (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i, hex(randomblob(99)) FROM n");
                        return true;
                    }),
                    ErrorCode.STORE_FULL,
                    "no space left");
            assertThat(store.one("SELECT count(*) FROM sqlite_schema WHERE name = 'filler'", row -> row.getInt(1)))
                    .contains(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"locks.db", "locks.db-wal", "locks.db-shm"})
    @Tag("G1")
    void grantsNothingMoreOnceItIsDeletedOrReplaced(String name) throws IOException {
        Path file = folder.resolve(name);
        try (LockBackend backend = open(store())) {
            backend.acquire(request());

            Files.move(file, folder.resolve("away"));
            assertFails(() -> backend.acquire(request()), ErrorCode.SERVICE_UNAVAILABLE, name + " is gone");
            assertFails(() -> backend.isLocked(KEY), ErrorCode.SERVICE_UNAVAILABLE, name + " is gone");

            Files.createFile(file);
            assertFails(() -> backend.acquire(request()), ErrorCode.SERVICE_UNAVAILABLE, name + " was replaced");

            Files.move(folder.resolve("away"), file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(backend.acquire(request())).isInstanceOf(Contended.class);
        }
    }

    @Test
    @Tag("G3")
    void isNotWrittenToByRefusedAttemptsAndReads() throws IOException {
        try (LockBackend backend = open(store())) {
            backend.acquire(request());
            byte[] log = Files.readAllBytes(StoreFiles.logOf(store()));

            for (int i = 0; i < 100; i++) {
                assertThat(backend.acquire(request())).isInstanceOf(Contended.class);
                assertThat(backend.release(KEY, LockId.random())).isFalse();
                assertThat(backend.extend(KEY, LockId.random(), Duration.ofSeconds(1)))
                        .isEmpty();
                assertThat(backend.lookup(KEY)).isPresent();
            }

            assertThat(Files.readAllBytes(StoreFiles.logOf(store()))).isEqualTo(log);
        }
    }

    @Test
    void keepsItsRowsWhateverAnOperatorTries() throws SQLException {
        try (LockBackend backend = open(store())) {
            backend.acquire(request());
        }

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> run("DELETE FROM fenceline_lock"))
                .withMessageContaining("never deleted");
    }

    /** Under two names it has two logs. */
    @Test
    @Tag("G1")
    void isNotOpenedWhereItHasTwoNames() throws IOException {
        try (LockBackend backend = open(store())) {
            backend.acquire(request());
            Path link = Files.createLink(folder.resolve("link.db"), store());

            assertFails(() -> open(link), ErrorCode.MISCONFIGURED, "hard link");
            assertThat(backend.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                    .filteredOn(finding -> finding.subject().equals("hard links"))
                    .singleElement()
                    .extracting(SelfDiagnosis.Finding::severity)
                    .isEqualTo(SelfDiagnosis.Severity.PROBLEM);
        }
    }

    @Test
    void isDiagnosed() {
        try (LockBackend backend = open(store())) {
            backend.acquire(request());
            assertThat(backend.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                    .extracting(SelfDiagnosis.Finding::subject)
                    .containsExactly(
                            "journal",
                            "integrity",
                            "schema",
                            "clock",
                            "file system",
                            "disk space",
                            "log",
                            "permissions",
                            "hard links");
        }
    }

    @Test
    void isComparedWithItsSchema() throws SQLException {
        try (LockBackend backend = open(store())) {
            SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();
            schema.installSchema();
            assertThat(schema.schemaProblems()).isEmpty();
            assertThat(schema.schemaScript()).contains("CREATE TABLE fenceline_lock");

            run("DROP INDEX fenceline_lock_by_id");
            assertThat(schema.schemaProblems()).containsExactly("fenceline_lock_by_id is missing");
        }
    }

    @Test
    void isNotSharedByMachines() {
        assertThat(StorePath.isNetwork("nfs4")).isTrue();
        assertThat(StorePath.isNetwork("fuse.sshfs")).isTrue();
        assertThat(StorePath.isNetwork("ext4")).isFalse();
        assertThat(StorePath.isNetwork("fuseblk")).isFalse();
    }

    private Path store() {
        return folder.resolve("locks.db");
    }

    private static LockBackend open(Path file) {
        return SqliteLockBackend.open(file, SqliteOptions.defaults());
    }

    private static AcquireRequest request() {
        return AcquireRequest.of(KEY, LockId.random(), Duration.ofSeconds(30), Holder.of("test"));
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + store());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Expects one line that names the file, says what is wrong, and leaves no doubt that nothing was changed. */
    private static void assertFails(ThrowingCallable call, ErrorCode code, String message) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(call)
                .withMessageStartingWith("lock store /")
                .withMessageContaining(message)
                .returns(code, BackendException::code)
                .returns(Effect.NONE, BackendException::effect)
                .extracting(Throwable::getMessage)
                .asString()
                .doesNotContain("\n");
    }
}
