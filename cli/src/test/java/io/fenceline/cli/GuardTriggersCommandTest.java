package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fenceline.cli.output.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How {@code guard ddl}, {@code install}, {@code remove} and {@code observed} guard a table. */
@Tag("R8")
class GuardTriggersCommandTest extends CommandTest {

    @BeforeEach
    void setUp() throws SQLException {
        sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT)");
    }

    /** Plain SQL from outside. */
    private void sql(String statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:" + store.uri() + "?foreign_keys=on");
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(statements);
        }
    }

    private void assertRefused(String statement) {
        assertThatThrownBy(() -> sql(statement)).hasMessageContaining("fenceline: missing token");
    }

    @Test
    void printsWhatThenGuardsAndRemovesAgain() throws SQLException {
        CommandRun ddl = store.run("guard", "ddl", "--dialect", "sqlite", "--table", "orders", "--key", "id");
        assertThat(ddl.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(ddl.out())
                .startsWith(".bail on\n--")
                .contains("\nBEGIN IMMEDIATE;\n")
                .endsWith("COMMIT;\n");
        sql("INSERT INTO orders VALUES (1, 'printing touches nothing')");

        sql(statements(ddl));
        assertRefused("INSERT INTO orders VALUES (2, 'x')");
        sql(statements(ddl));

        sql(statements(store.run("guard", "ddl", "--dialect", "sqlite", "--table", "orders", "--remove")));
        sql("INSERT INTO orders VALUES (2, 'x')");
    }

    /** Without the line for the shell. */
    private static String statements(CommandRun ddl) {
        return ddl.out().substring(ddl.out().indexOf('\n') + 1);
    }

    @Test
    @Tag("R5")
    void theShellStopsAtATableThatCannotBeGuarded() throws Exception {
        sql("CREATE TABLE loose (id TEXT COLLATE NOCASE PRIMARY KEY)");
        assertThat(shell("orders", "--key", "id")).isEmpty();

        assertThat(shell("orders", "--key", "id", "--prefix", "shop/")).contains("other names already");
        assertThat(shell("loose", "--key", "id")).contains("cannot name rows");
        assertThat(shell("orders", "--key", "none")).contains("no such column");

        assertRefused("INSERT INTO orders VALUES (2, 'x')");
        assertThatThrownBy(() -> sql("INSERT INTO orders VALUES (2, 'x')")).hasMessageContaining("orders/2");
        sql("INSERT INTO loose VALUES ('a')");
    }

    /** Hands a script to SQLite's shell, and returns what that says. */
    private String shell(String table, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("guard", "ddl", "--dialect", "sqlite", "--table", table));
        command.addAll(List.of(options));
        Path script = Files.writeString(
                folder.resolve("guard.sql"),
                store.run(command.toArray(String[]::new)).out());
        Process process = start(store.uri().replace("sqlite:", ""), script);
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static Process start(String file, Path script) {
        try {
            return new ProcessBuilder("sqlite3", file)
                    .redirectInput(script.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            return abort("sqlite3 is not installed");
        }
    }

    @Test
    void printsWithoutAStore() {
        CommandRun ddl = store.run(
                "guard",
                "ddl",
                "--backend",
                "postgresql://127.0.0.1:1/none",
                "--dialect",
                "postgresql",
                "--table",
                "sales.orders",
                "--key",
                "tenant,id",
                "--observe",
                "--once",
                "--prefix",
                "o-");
        assertThat(ddl.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(ddl.out())
                .contains(
                        "fenceline_fences_guard('\"sales\".\"orders\"'::regclass, 'o-', ARRAY['tenant', 'id'], true, true)");
    }

    @Test
    void installsObservesEnforcesAndRemoves() throws SQLException {
        assertThat(store.run("guard", "observed").out()).startsWith("no write would have been refused");
        assertThat(store.run("guard", "install", "--table", "orders", "--key", "id", "--observe"))
                .isEqualTo(new CommandRun(0, "", ""));
        sql("INSERT INTO orders VALUES (1, 'x')");
        sql("INSERT INTO orders VALUES (2, 'x')");
        assertThat(store.run("guard", "observed", "--json").out())
                .startsWith("[{\"table\":\"orders\",\"operation\":\"INSERT\",\"reason\":\"missing\",\"presented\":null,"
                        + "\"highest\":null,\"seen\":2,\"firstAt\":\"");
        assertThat(store.run("guard", "observed").out().lines())
                .hasSize(2)
                .last()
                .asString()
                .matches("orders +INSERT +missing +- +- +2 +\\S+Z +\\S+Z");

        assertThat(store.run("guard", "install", "--table", "orders", "--key", "id"))
                .isEqualTo(new CommandRun(0, "", ""));
        assertRefused("DELETE FROM orders");

        assertThat(store.run("guard", "remove", "--table", "orders")).isEqualTo(new CommandRun(0, "", ""));
        sql("DELETE FROM orders");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "there is no table ordres          | guard install --table ordres --key id",
                "there is no table ordres          | guard remove --table ordres",
                "fenceline_lock is one of Fenceline's own | guard install --table fenceline_lock --key lock_key",
                "is one of Fenceline's own         | guard ddl --dialect postgresql --table public.Fenceline_fences --key resource",
                "has no column number              | guard install --table orders --key number",
                "--key is missing                  | guard install --table orders",
                "--key is missing                  | guard ddl --dialect sqlite --table orders",
                "Missing required option: '--table | guard remove",
                "no triggers for 'oracle'; there are: postgresql, sqlite | guard ddl --dialect oracle --table orders"
                        + " --key id",
                "the table is 'a-b'                | guard ddl --dialect sqlite --table a-b --key id",
                "the table is 'a.b'                | guard ddl --dialect sqlite --table a.b --key id",
                "Missing required subcommand       | guard",
            })
    void namesWhatIsWrong(String complaint, String line) {
        CommandRun refused = store.run(line.split(" +"));

        assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err()).contains(complaint);
    }
}
