package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code schema} and {@code doctor} say of a store. */
class StoreCommandsTest extends CommandTest {

    @Nested
    class Schema {

        @Test
        void isPrintedInstalledAndChecked() {
            assertThat(store.run("schema", "print").out()).contains("CREATE TABLE");
            CommandRun complete = new CommandRun(0, "the schema is complete" + System.lineSeparator(), "");
            assertThat(store.run("schema", "install")).isEqualTo(complete);
            assertThat(store.run("schema", "check")).isEqualTo(complete);
            String other = "sqlite:" + folder.resolve("other.db");
            assertThat(store.run("schema", "check", "--backend", other).exitCode())
                    .isEqualTo(ExitCode.NO);
            assertThat(store.run("schema", "install", "--backend", other).out()).contains("the schema is installed");
            assertThat(store.run("schema", "check", "--backend", other)).isEqualTo(complete);
        }
    }

    @Nested
    class SchemaForAProduct {

        @ParameterizedTest
        @ValueSource(strings = {"postgresql", "mariadb", "mysql", "h2", "sqlite"})
        void hasTheTablesOfLocksAndGuards(String product) {
            CommandRun printed = CommandRun.of(Map.of(), "", "schema", "print", "--for", product);
            assertThat(printed.exitCode()).isZero();
            assertThat(printed.out())
                    .contains(
                            "fenceline_lock", "fenceline_fences", "fenceline_fences_stream", "fenceline_fences_clock");
            assertThat(printed.out().contains("fenceline_outbox"))
                    .isEqualTo(product.equals("postgresql") || product.equals("sqlite"));
        }

        @Test
        void isNothingOnAStoreWithoutTables() {
            CommandRun printed = CommandRun.of(Map.of(), "", "schema", "print", "--for", "redis");
            assertThat(printed.exitCode()).isZero();
            assertThat(printed.out()).isEmpty();
            assertThat(printed.err()).contains("'redis' needs no tables");
        }

        @Test
        void isRefusedForAProductThatNobodyKnows() {
            CommandRun refused = CommandRun.of(Map.of(), "", "schema", "print", "--for", "oracle");
            assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err())
                    .contains("known are")
                    .contains("postgresql")
                    .contains("redis");
        }

        @Test
        void isAllThatSqliteNeeds() throws Exception {
            String script = CommandRun.of(Map.of(), "", "schema", "print", "--for", "sqlite")
                    .out();
            Path file = folder.resolve("by-flyway.db");
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate(script);
            }
            assertThat(store.run("schema", "check", "--backend", "sqlite:" + file))
                    .isEqualTo(new CommandRun(0, "the schema is complete" + System.lineSeparator(), ""));
        }
    }

    @Nested
    class Doctor {

        @Test
        void endsWithItsWorstFinding() throws Exception {
            Files.setPosixFilePermissions(folder.resolve("locks.db"), PosixFilePermissions.fromString("rw-------"));
            CommandRun well = store.run("doctor");
            assertThat(well.out()).contains("ok       ");
            assertThat(well.exitCode()).isEqualTo(well.out().contains("warning  ") ? 1 : 0);
        }

        @Test
        void tellsAStoreThatCannotBeOpenedAsAProblem() throws Exception {
            Path file = Files.writeString(folder.resolve("text"), "not a database ".repeat(100));
            CommandRun ill = store.run("doctor", "--json", "--backend", "sqlite:" + file);
            assertThat(ill.exitCode()).isEqualTo(ExitCode.DOCTOR_PROBLEM);
            assertThat(ill.out()).contains("\"severity\":\"problem\"").contains(file.toString());
        }
    }
}
