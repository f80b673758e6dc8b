package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the store is that nobody named. */
class DefaultStoreTest {

    @TempDir
    private Path folder;

    @Test
    void liesInThePrivateDataFolderOfTheUser() throws Exception {
        Path data = folder.resolve("data");
        assertThat(CommandRun.of(Map.of("XDG_DATA_HOME", data.toString()), "", "schema", "install")
                        .exitCode())
                .isZero();
        assertThat(data.resolve("fenceline/locks.db")).exists();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("fenceline"))))
                .isEqualTo("rwx------");
    }

    @Test
    void liesInTheHomeFolderIfThereIsNoAbsoluteDataFolder() {
        Map<String, String> variables = Map.of("XDG_DATA_HOME", "relative", "HOME", folder.toString());
        assertThat(CommandRun.of(variables, "", "schema", "install").exitCode()).isZero();
        assertThat(folder.resolve(".local/share/fenceline/locks.db")).exists();
    }

    @Test
    void cannotBeFoundWithoutAHome() {
        CommandRun homeless = CommandRun.of(Map.of(), "", "ls");
        assertThat(homeless.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(homeless.err()).contains("HOME").contains("--backend").hasLineCount(1);
    }

    @Test
    void isNotUsedWhereTheVariableIsEmpty() {
        CommandRun empty = CommandRun.of(Map.of("FENCELINE_BACKEND", "", "HOME", folder.toString()), "", "ls");
        assertThat(empty.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(empty.err()).contains("FENCELINE_BACKEND is empty").hasLineCount(1);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whoseFolderCannotBeMadeIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        CommandRun failed = CommandRun.of(Map.of("XDG_DATA_HOME", file.toString()), "", "ls");
        assertThat(failed.exitCode()).isEqualTo(ExitCode.STORE_UNAVAILABLE);
        assertThat(failed.err()).contains(file.toString()).hasLineCount(1);
    }
}
