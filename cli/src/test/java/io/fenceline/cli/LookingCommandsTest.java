package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import io.fenceline.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that only look make nothing; what operators do leaves a trace; wrong tables are told as such. */
class LookingCommandsTest {

    @Nested
    class WithoutAFile {

        @TempDir
        private Path folder;

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "ls",
                    "leaders",
                    "show k",
                    "token show k",
                    "guard ls",
                    "guard show r",
                    "guard observed",
                    "doctor",
                    "schema check",
                    "schema print",
                    "release --lock-id AAAAAAAAAAAAAAAAAAAAAA"
                })
        @Tag("G8")
        void makeNone(String command) {
            String uri = "sqlite:" + folder.resolve("locks.db");

            CommandRun run = CommandRun.of(Map.of("FENCELINE_BACKEND", uri), "", command.split(" "));

            assertThat(run.exitCode()).isLessThan(2);
            assertThat(folder).isEmptyDirectory();
        }

        @ParameterizedTest
        @ValueSource(strings = {"ls", "show k", "show --json k", "token show k", "guard show r"})
        void sayThatThereIsNothingYet(String command) {
            Map<String, String> store = Map.of("FENCELINE_BACKEND", "sqlite:" + folder.resolve("locks.db"));

            CommandRun run = CommandRun.of(store, "", command.split(" "));

            assertThat(run.out()).isNotEmpty();
            assertThat(run.err()).contains("the store has no tables yet").hasLineCount(1);
        }

        @Test
        void doNotSayThatThereIsNothingOfAStoreThatAnOlderVersionMade() throws SQLException {
            Path file = folder.resolve("locks.db");
            Map<String, String> store = Map.of("FENCELINE_BACKEND", "sqlite:" + file);
            CommandRun.of(store, "", "schema", "install");
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE fenceline_waiter");
            }

            CommandRun run = CommandRun.of(store, "", "ls");

            assertThat(run.err())
                    .contains("some tables of the store are missing (fenceline_waiter is missing)")
                    .contains("existing tables are kept")
                    .hasLineCount(1);
        }
    }

    @Test
    void speakOfALayoutOnlyWhereTheUriNamesIt(@TempDir Path folder) {
        CommandRun run =
                CommandRun.of(Map.of("FENCELINE_BACKEND", "h2:" + folder.resolve("locks")), "", "guard", "observed");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("cannot guard tables by triggers").doesNotContain("layout");
    }

    @Nested
    @TestInstance(Lifecycle.PER_CLASS)
    class OnPostgres {

        private PostgresServer server;

        @BeforeAll
        void start() {
            server = PostgresServer.start(Map.of());
            server.execute("postgres", "CREATE SCHEMA shared; CREATE SCHEMA empty");
        }

        @AfterAll
        void stop() {
            server.close();
        }

        private CommandRun run(String parameters, String... arguments) {
            return CommandRun.of(Map.of("FENCELINE_BACKEND", server.uri() + parameters), "", arguments);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"ls", "leaders", "show k", "token show k", "guard ls", "guard observed", "schema check"})
        @Tag("G8")
        void makeNoTables(String command) {
            assertThat(run("&table=empty.locks", command.split(" ")).exitCode()).isLessThan(2);

            server.execute(
                    "postgres",
                    "DO $$ BEGIN IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'empty'::regnamespace)"
                            + " THEN RAISE 'something was made'; END IF; END $$");
        }

        @Test
        void tellThatTheLayoutWasForgottenAndBreakNoReleaseOfSyncGuard() {
            String layout = "&layout=syncguard&table=shared.locks&fences=shared.fences";
            assertThat(run(layout, "ls").err()).contains("schema install").doesNotContain("internal error");
            assertThat(run(layout, "schema", "install").exitCode()).isZero();

            for (String command : new String[] {"ls", "doctor", "schema check", "schema install"}) {
                CommandRun forgotten = run("&table=shared.locks", command.split(" "));
                assertThat(forgotten.exitCode()).isNotZero();
                assertThat(forgotten.out() + forgotten.err())
                        .contains("layout=syncguard")
                        .doesNotContain("internal error");
            }
            server.execute("postgres", "DELETE FROM shared.locks");
            assertThat(run(layout, "schema", "check").exitCode()).isZero();

            CommandRun misspelt = run("&layout=syncguard&table=shared.locks&fences=shared.fence", "leaders");
            assertThat(misspelt.err())
                    .contains("table shared.fence is missing", "fenceTableName")
                    .doesNotContain("the first lock makes it");

            CommandRun guards = run(layout, "guard", "ls");
            assertThat(guards.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(guards.err()).contains("remove layout=syncguard");
        }

        @Test
        void actsAreToldWhereNoRecordIsKept() {
            String layout = "&layout=syncguard&table=shared.acts&fences=shared.act_fences";
            run(layout, "schema", "install");
            assertThat(run(layout, "token", "bump", "--at-least", "34", "k").err())
                    .hasLineCount(1)
                    .contains("keeps no record", "raised the token of lock 'k' to 000000000000034");
            try (TestStore store = TestStore.at(server.uri() + layout, path -> false)) {
                store.hold("k", "alice");
                assertThat(run(layout, "release", "--force", "k").err())
                        .hasLineCount(1)
                        .contains("forced release of lock 'k'", "000000000000035");
            }
            try (TestStore store = TestStore.at(server.uri() + "&table=shared.native_locks", path -> false)) {
                store.hold("k", "alice");
                assertThat(store.run("release", "--force", "k").err()).isEmpty();
            }
        }

        @Test
        void usedUpTokensAreTold() {
            String layout = "&layout=syncguard&table=shared.used&fences=shared.used_fences";
            run(layout, "schema", "install");
            server.execute(
                    "postgres",
                    "INSERT INTO shared.used_fences (fence_key, fence) VALUES ('fence:k', 1000000000000000)");

            CommandRun shown = run(layout, "token", "show", "k");

            assertThat(shown.exitCode()).isZero();
            assertThat(shown.out()).contains("900000000000000");
            assertThat(shown.err()).contains("used up");
        }
    }

    @Test
    void findPrefixesInAnyNormalForm(@TempDir Path folder) {
        try (TestStore store = TestStore.in(folder)) {
            store.hold("caf\u00e9/1", "alice");

            assertThat(store.run("ls", "cafe\u0301").out()).contains("alice");
            assertThat(store.run("show", "cafe\u0301/1").exitCode()).isZero();
        }
    }
}
