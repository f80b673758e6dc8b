package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the command explains itself. */
class HelpTest extends CommandTest {

    @Test
    void listsTheCommandsByGroup() {
        CommandRun help = store.run("--help");
        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("Run under a lock:", "exec  ", "Administer:", "release  ", "Exit codes:");
        assertThat(store.run("help").out()).isEqualTo(help.out());
        CommandRun bare = store.run();
        assertThat(bare.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(bare.err()).isEqualTo(help.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec",
                "hold",
                "elect",
                "ls",
                "show",
                "leaders",
                "token",
                "guard",
                "release",
                "doctor",
                "schema",
                "demo",
                "completion",
                "help"
            })
    void explainsEachCommand(String name) {
        CommandRun help = store.run(name, "--help");
        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).startsWith("Usage: fenceline " + name).contains("Options:");
        assertThat(help.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(store.run("help", name).out()).isEqualTo(help.out());
    }

    @Test
    void explainsACommandOfACommand() {
        assertThat(store.run("help", "token", "bump"))
                .isEqualTo(store.run("token", "bump", "--help"))
                .returns(0, CommandRun::exitCode);
        assertThat(store.run("help", "token", "bumb").err()).contains("no command 'token bumb'");
    }

    @Test
    void tellsTheVersion() {
        assertThat(store.run("--version").out()).startsWith("fenceline ");
    }

    @Test
    void completionIsAScriptThatBashUnderstands() throws Exception {
        CommandRun completion = store.run("completion");
        assertThat(completion.out()).contains("--conflict-exit-code", "--hesitate", "leaders", "doctor", "bump");
        Path script = Files.writeString(folder.resolve("completion"), completion.out());
        Process bash =
                new ProcessBuilder("bash", "-n", script.toString()).inheritIO().start();
        assertThat(bash.waitFor()).isZero();
    }
}
