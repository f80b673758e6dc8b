package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.cli.output.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code exec --at-least}: two machines' cron starts the same short job, the second one late by its clock or its start-up, when the
 * job of the first has ended. {@code -Dfenceline.rounds=} says how often on each store.
 */
@ParameterizedClass
@EnumSource
class AtLeastIT {

    private static final int ROUNDS = Integer.getInteger("fenceline.rounds", 2);
    private static final String JOB = "echo \"$FENCELINE_TOKEN\" >> \"$0\"; sleep 0.1";

    @Parameter
    private StoreKind kind;

    @TempDir
    private Path folder;

    private TestStore store;

    @BeforeEach
    void open() {
        store = kind.open(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CommandRun run(String... arguments) {
        return FencelineProcess.run(store.uri(), arguments);
    }

    @Test
    void runsAJobOnceThatTwoMachinesScheduleWithSkew() throws IOException {
        for (int round = 1; round <= ROUNDS; round++) {
            Path ran = folder.resolve("ran-" + round);
            String key = "nightly-" + round;
            String[] cron = {"exec", "-n", "-E", "0", "--at-least", "30s", key, "--", "sh", "-c", JOB, ran.toString()};

            assertThat(run(cron)).isEqualTo(new CommandRun(0, "", ""));
            CommandRun late = run(cron);

            assertThat(Files.readAllLines(ran)).as("jobs of round " + round).hasSize(1);
            assertThat(late).as("nothing for cron to mail").isEqualTo(new CommandRun(0, "", ""));
        }
    }

    @Test
    void saysThatTheLockWasReleasedByForceBeforeTheJobEnded() {
        String release = "\"$FENCELINE\" release --force k >\"$0\"";
        CommandRun run = run(
                "exec",
                "--at-least",
                "10m",
                "k",
                "--",
                "env",
                "FENCELINE=" + FencelineProcess.launcher(),
                "sh",
                "-c",
                release,
                folder.resolve("released").toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.LEASE_LOST);
        assertThat(store.isLocked("k")).isFalse();
    }

    /** What the option is for. */
    @Test
    void withoutItTheJobRunsTwice() throws IOException {
        Path ran = folder.resolve("ran");
        for (int machine = 1; machine <= 2; machine++) {
            run("exec", "-n", "nightly", "--", "sh", "-c", JOB, ran.toString());
        }

        assertThat(Files.readAllLines(ran)).hasSize(2);
    }

    @Test
    void showsTheLockAsTakenUntilItIsReleasedByForce() {
        assertThat(run("exec", "--at-least", "10m", "k", "--", "true")).isEqualTo(new CommandRun(0, "", ""));

        Duration left = store.backend()
                .lookup(LockKey.of("k"))
                .map(LockRecord::remaining)
                .orElseThrow();
        assertThat(left).isBetween(Duration.ofMinutes(8), Duration.ofMinutes(10).plusSeconds(1));
        assertThat(run("show", "k").out()).containsPattern("remaining +[0-9]+m");
        assertThat(run("release", "--force", "k").exitCode()).isZero();
        assertThat(store.isLocked("k")).isFalse();
    }

    @Test
    void keepsNoLockForAScriptWithoutItsInterpreter() throws IOException {
        Path script = Files.writeString(folder.resolve("script"), "#!/bin/sh\r\nexit 0\r\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();

        CommandRun exec = run("exec", "--at-least", "10m", "k", "--", script.toString());

        assertThat(exec.exitCode()).isEqualTo(126);
        assertThat(exec.err()).hasLineCount(1).contains("its interpreter '/bin/sh\\r' is missing");
        assertThat(store.isLocked("k")).isFalse();
    }

    @Test
    void runsAScriptWhoseInterpreterHasANameOfItsLanguage() throws IOException {
        Path interpreter = Files.createSymbolicLink(folder.resolve("caf\u00e9"), Path.of("/bin/sh"));
        Path script = Files.writeString(folder.resolve("script"), "#!" + interpreter + "\necho ran\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();

        assertThat(run("exec", "k", "--", script.toString())).isEqualTo(new CommandRun(0, "ran", ""));
    }

    @Test
    void keepsNoLockForACommandThatDidNotRun() {
        String raised = "800000000000000"; // above what the clock gives
        assertThat(store.run("guard", "bump", "--at-least", raised, "--key", "k", "orders/42")
                        .exitCode())
                .isZero();
        List<Integer> codes = List.of(
                run("exec", "--at-least", "10m", "k", "--", "no-such-command").exitCode(),
                run("exec", "--at-least", "10m", "--claim", "orders/42", "k", "--", "true")
                        .exitCode());

        assertThat(codes).containsExactly(127, ExitCode.TOKEN_REFUSED);
        assertThat(store.isLocked("k")).isFalse();
    }
}
