package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.cli.output.ExitCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
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
        assertThat(ddl.out()).startsWith("BEGIN;").endsWith("COMMIT;" + System.lineSeparator());
        sql("INSERT INTO orders VALUES (1, 'printing touches nothing')");

        sql(ddl.out());
        assertRefused("INSERT INTO orders VALUES (2, 'x')");
        sql(ddl.out());

        sql(store.run("guard", "ddl", "--dialect", "sqlite", "--table", "orders", "--remove")
                .out());
        sql("INSERT INTO orders VALUES (2, 'x')");
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
                .contains("fenceline_fences_guard('\"sales\".\"orders\"', 'o-', ARRAY['tenant', 'id'], true, true)");
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
