package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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
