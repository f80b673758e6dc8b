package io.fenceline.cli.process;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The watchdog's script under the shells that may have to run it. */
@Timeout(30)
class WatchdogScriptTest {
    private final BootClock clock = BootClock.ofThisMachine();

    private Process child;

    @AfterEach
    void endTheChild() {
        if (child != null) {
            child.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bin/bash -p", "/bin/dash", "/bin/busybox sh", "/bin/mksh"})
    void killsAtTheDeadlineAndCleansUp(String shell) throws Exception {
        WatchdogFolder folder = WatchdogFolder.create(ChildDeadline.after(clock.now(), ofMillis(300), ofMillis(600)));
        child = start(shell, folder, "sh", "-c", "trap 'echo asked' TERM; while :; do sleep 0.05; done");
        assertThat(child.inputReader().readLine()).isEqualTo("asked");
        assertThat(child.waitFor()).isEqualTo(128 + 9);
        await().untilAsserted(() -> assertThat(ExecProcess.session(child.pid())).isEmpty());
        assertThat(folder.path()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bin/bash -p", "/bin/dash", "/bin/busybox sh", "/bin/mksh"})
    void endsAtOnceWhenItIsToldTo(String shell) throws Exception {
        WatchdogFolder folder = WatchdogFolder.create(ChildDeadline.after(clock.now(), ofSeconds(60), ofSeconds(60)));
        child = start(shell, folder, "cat");
        ProcessHandle watchdog =
                await().until(folder::watchdog, Optional::isPresent).orElseThrow();
        child.outputWriter().close();
        assertThat(child.waitFor()).isZero();
        folder.delete();
        watchdog.destroy();
        await().untilAsserted(() -> assertThat(ExecProcess.session(child.pid())).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bin/bash -p", "/bin/dash", "/bin/busybox sh", "/bin/mksh"})
    void survivesTheSignalsOfTheGroup(String shell) throws Exception {
        WatchdogFolder folder = WatchdogFolder.create(ChildDeadline.after(clock.now(), ofSeconds(60), ofSeconds(60)));
        Process child =
                start(shell, folder, "sh", "-c", "trap 'echo asked' TERM; echo ready; while :; do sleep 0.05; done");
        assertThat(child.inputReader().readLine()).isEqualTo("ready");
        ProcessSignal.send("TERM", List.of(-child.pid()));
        assertThat(child.inputReader().readLine()).isEqualTo("asked");
        folder.write(ChildDeadline.after(clock.now(), ofMillis(0), ofMillis(100)));
        folder.watchdog().orElseThrow().destroy();
        assertThat(child.waitFor()).isEqualTo(128 + 9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bin/bash -p", "/bin/dash", "/bin/busybox sh", "/bin/mksh"})
    void isNotKilledByASignalThatComesBeforeItHandlesSignals(String shell) throws Exception {
        WatchdogFolder folder = WatchdogFolder.create(ChildDeadline.never());
        String script = Files.readString(folder.script());
        String begins = "watch() {\n";
        assertThat(script).containsOnlyOnce(begins);
        Files.writeString(folder.script(), script.replace(begins, begins + "sleep 0.5\n"));
        child = start(shell, folder, "sleep", "1000");
        ProcessHandle watchdog =
                await().until(folder::watchdog, Optional::isPresent).orElseThrow();

        folder.write(ChildDeadline.after(clock.now(), ZERO, ZERO));
        watchdog.destroy();

        assertThat(child.waitFor()).isEqualTo(128 + 9);
    }

    private static Process start(String shell, WatchdogFolder folder, String... command) throws Exception {
        List<String> words = new ArrayList<>(List.of("setsid"));
        words.addAll(List.of(shell.split(" ")));
        boolean there = Files.isExecutable(Path.of(words.get(1)));
        if (!there) {
            folder.delete();
        }
        assumeTrue(there, words.get(1));
        words.addAll(List.of(folder.script().toString(), folder.path().toString()));
        words.addAll(List.of(command));
        return new ProcessBuilder(words).start();
    }
}
