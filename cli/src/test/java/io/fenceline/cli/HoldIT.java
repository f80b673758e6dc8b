package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.process.ProcessExit;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code hold} where scripts, services and people start it. */
class HoldIT extends CommandTest {

    @Test
    void refusesAScriptsBackgroundJobThatWouldHoldNothing() {
        CommandRun job = FencelineProcess.shell(store.uri(), "\"$FENCELINE\" hold k & wait $!");
        assertThat(job.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(job.out()).isEmpty();
        assertThat(job.err()).contains("--until-signal");
    }

    @Test
    void holdsUntilASignalIfTold() throws Exception {
        FencelineProcess.requireHeard("TERM");
        try (FencelineProcess hold = FencelineProcess.start(store.uri(), "hold", "--until-signal", "k")) {
            hold.jvm().outputWriter().close();
            await().atMost(FencelineProcess.PATIENCE).until(() -> store.isLocked("k"));
            hold.signal("TERM");
            assertThat(hold.end().exitCode()).isEqualTo(128 + 15);
        }
        assertThat(store.isLocked("k")).isFalse();
    }

    @Test
    void saysOnATerminalWhatItWaitsFor() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "no 'script', which makes a terminal");
        store.hold("k", "alice");
        Path typescript = folder.resolve("typescript");
        ProcessBuilder onTerminal = new ProcessBuilder(
                "script", "-q", "-f", "-c", FencelineProcess.launcher() + " hold --for 1s k", typescript.toString());
        onTerminal.environment().put("FENCELINE_BACKEND", store.uri());
        onTerminal.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        Process script = onTerminal.start();
        try {
            await().atMost(FencelineProcess.PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(Files.readString(typescript))
                            .contains("fenceline: waiting for lock 'k', held by alice"));
        } finally {
            script.descendants().forEach(ProcessHandle::destroy);
            ProcessExit.await(script.destroyForcibly());
        }
    }

    @Test
    void releasesALockWhoseTokenItCannotPrint() {
        CommandRun run = FencelineProcess.shell(store.uri(), "\"$FENCELINE\" hold k --for 1h >/dev/full");
        assertThat(run.exitCode()).isEqualTo(ExitCode.SYSTEM);
        assertThat(store.isLocked("k")).isFalse();
    }

    @Test
    void isToldThatItsOutputCannotBeWritten() {
        CommandRun run = FencelineProcess.shell(store.uri(), "\"$FENCELINE\" ls >/dev/full");
        assertThat(run.exitCode()).isEqualTo(ExitCode.SYSTEM);
        assertThat(run.err()).contains("cannot write to standard output").hasLineCount(1);
        assertThat(FencelineProcess.shell(store.uri(), "\"$FENCELINE\" show k >/dev/full")
                        .exitCode())
                .isEqualTo(ExitCode.SYSTEM);
    }
}
