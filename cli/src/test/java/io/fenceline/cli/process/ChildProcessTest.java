package io.fenceline.cli.process;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class ChildProcessTest {
    private static final String IGNORES_TERM = "trap '' TERM; echo $$ > \"$1\"; while :; do sleep 1; done";

    private final BootClock clock = BootClock.ofThisMachine();

    @TempDir
    private Path folder;

    private ChildProcess start(ChildDeadline deadline, String... words) throws Exception {
        return ChildProcess.start(ChildCommand.of(words), clock, deadline);
    }

    private ChildDeadline in(Duration term, Duration kill) {
        return ChildDeadline.after(clock.now(), term, kill);
    }

    @Nested
    class AnEnd {
        @ParameterizedTest
        @ValueSource(ints = {0, 1, 42, 255})
        void passesTheExitStatusOn(int status) throws Exception {
            try (ChildProcess child = start(ChildDeadline.never(), "sh", "-c", "exit " + status)) {
                assertThat(child.waitFor()).isEqualTo(status);
            }
        }

        @Test
        void byASignalIs128AndItsNumber() throws Exception {
            try (ChildProcess child = start(ChildDeadline.never(), "sh", "-c", "kill -s USR1 $$")) {
                assertThat(child.waitFor()).isEqualTo(128 + 10);
            }
        }

        @Test
        void leavesNoProcessOfOursBehind() throws Exception {
            try (ChildProcess child = start(in(ofSeconds(60), ofSeconds(60)), "true")) {
                child.waitFor();
                await().untilAsserted(() ->
                        assertThat(ExecProcess.session(child.pid())).isEmpty());
            }
        }

        @Test
        void beforeTheDeadlineLeavesAloneWhatTheChildLeftRunning() throws Exception {
            Path pid = folder.resolve("pid");
            String script = "sleep 60 & echo $! > \"$1\"";
            try (ChildProcess child =
                    start(in(ofSeconds(60), ofSeconds(60)), "sh", "-c", script, "sh", pid.toString())) {
                assertThat(child.waitFor()).isZero();
            }
            ProcessHandle left = ProcessHandle.of(ExecProcess.numberIn(pid)).orElseThrow();
            assertThat(left.isAlive()).isTrue();
            left.destroyForcibly();
        }

        @Test
        void byCloseKillsTheChild() throws Exception {
            ChildProcess child = start(ChildDeadline.never(), "sleep", "60");
            child.close();
            assertThat(child.waitFor()).isEqualTo(128 + 9);
            await().untilAsserted(
                            () -> assertThat(ExecProcess.session(child.pid())).isEmpty());
        }
    }

    @Nested
    class ADeadline {
        @Test
        void asksTheChildFirst() throws Exception {
            String script = "trap 'exit 5' TERM; while :; do sleep 0.05; done";
            try (ChildProcess child = start(in(ofMillis(300), ofSeconds(30)), "sh", "-c", script)) {
                assertThat(child.waitFor()).isEqualTo(5);
            }
        }

        @Test
        void killsAChildThatIgnoresTerm() throws Exception {
            String pid = folder.resolve("pid").toString();
            try (ChildProcess child = start(in(ofMillis(200), ofMillis(500)), "sh", "-c", IGNORES_TERM, "sh", pid)) {
                assertThat(child.waitFor()).isEqualTo(128 + 9);
            }
        }

        @Test
        void endsAChildThatIsStopped() throws Exception {
            Path pid = folder.resolve("pid");
            String script = "echo $$ > \"$0\"; exec sleep 60";
            try (ChildProcess child = start(in(ofMillis(500), ofSeconds(30)), "sh", "-c", script, pid.toString())) {
                ExecProcess.numberIn(pid);
                child.signal("STOP");
                assertThat(child.waitFor()).isEqualTo(128 + 15);
            }
        }

        @Test
        void isNotWaitedForIfTheChildEndedBeforeItsWatchdogBegan() throws Exception {
            try (ChildProcess child = start(in(ZERO, ofSeconds(60)), "sleep", "1000")) {
                ProcessHandle.of(child.pid()).orElseThrow().destroy();
                assertThat(child.waitFor()).isEqualTo(128 + 15);
            }
        }

        @Test
        void movedLaterKeepsTheChildAlive() throws Exception {
            try (ChildProcess child = start(in(ofMillis(300), ofMillis(300)), "sleep", "1")) {
                child.deadline(in(ofSeconds(60), ofSeconds(60)));
                assertThat(child.waitFor()).isZero();
            }
        }

        @Test
        void movedEarlierIsKeptAtOnce() throws Exception {
            try (ChildProcess child = start(ChildDeadline.never(), "sleep", "60")) {
                child.deadline(in(ofMillis(100), ofSeconds(30)));
                assertThat(child.waitFor()).isEqualTo(128 + 15);
            }
        }

        @Test
        void holdsAlsoAfterSomebodyKilledTheWatchdog() throws Exception {
            String pid = folder.resolve("pid").toString();
            try (ChildProcess child = start(ChildDeadline.never(), "sh", "-c", IGNORES_TERM, "sh", pid)) {
                ExecProcess.numberIn(Path.of(pid));
                killWatchdog(child);
                child.stop(ofMillis(200));
                assertThat(child.waitFor()).isEqualTo(128 + 9);
            }
        }

        /** As in the first moments of a child, before its watchdog runs: rounding makes the second deadline the earlier one. */
        @Test
        void movedEarlierAndThenLaterWithoutAWatchdogKeepsTheChildAlive() throws Exception {
            Path pid = folder.resolve("pid");
            String script = "echo $$ > \"$0\"; exec sleep 1";
            try (ChildProcess child = start(in(ofSeconds(60), ofSeconds(60)), "sh", "-c", script, pid.toString())) {
                ExecProcess.numberIn(pid);
                killWatchdog(child);
                child.deadline(in(ofMillis(300), ofMillis(300)));
                child.deadline(in(ofSeconds(60), ofSeconds(60)));
                assertThat(child.waitFor()).isZero();
            }
        }

        /** A lease that is renewed, and then is not. */
        @Test
        void movedLaterHoldsWithoutAWatchdogToo() throws Exception {
            Path pid = folder.resolve("pid");
            String script = "echo $$ > \"$0\"; exec sleep 60";
            try (ChildProcess child = start(in(ofSeconds(5), ofSeconds(5)), "sh", "-c", script, pid.toString())) {
                ExecProcess.numberIn(pid);
                killWatchdog(child);
                child.deadline(in(ofSeconds(5), ofSeconds(6)));
                assertThat(child.waitFor()).isEqualTo(128 + 15);
            }
        }

        private void killWatchdog(ChildProcess child) {
            long watchdog = ExecProcess.session(child.pid()).stream()
                    .filter(line -> line.contains("watchdog.sh"))
                    .mapToLong(line -> Long.parseLong(line.split(" +")[1]))
                    .findFirst()
                    .orElseThrow();
            ProcessSignal.send("KILL", List.of(watchdog));
            await().until(() ->
                    ExecProcess.session(child.pid()).stream().noneMatch(line -> line.contains("watchdog.sh")));
        }
    }

    @Nested
    class Stop {
        @Test
        void givesTheWholeGroupItsGraceAndThenKillsIt() throws Exception {
            Path pid = folder.resolve("pid");
            String script = "sh -c \"$0\" sh \"$1\" & wait";
            try (ChildProcess child = start(ChildDeadline.never(), "sh", "-c", script, IGNORES_TERM, pid.toString())) {
                long grandchild = ExecProcess.numberIn(pid);
                child.stop(ofMillis(300));
                assertThat(child.waitFor()).isEqualTo(128 + 15);
                // A process that was killed is listed until the system has taken it away.
                await().until(() -> ExecProcess.session(child.pid()).stream()
                        .noneMatch(line -> line.contains(" " + grandchild + " ")));
            }
        }

        @Test
        void waitsForAGrandchildThatCleansUp() throws Exception {
            Path pid = folder.resolve("pid");
            Path clean = folder.resolve("clean");
            String cleansUp = "trap 'sleep 0.3; : > \"$2\"; exit' TERM; echo $$ > \"$1\"; while :; do sleep 0.05; done";
            String script = "sh -c \"$0\" sh \"$1\" \"$2\" & wait";
            try (ChildProcess child =
                    start(ChildDeadline.never(), "sh", "-c", script, cleansUp, pid.toString(), clean.toString())) {
                ExecProcess.numberIn(pid);
                child.stop(ofSeconds(30));
                assertThat(child.waitFor()).isEqualTo(128 + 15);
                assertThat(clean).exists();
            }
        }

        @Test
        void rightAfterTheStartIsNotLost() throws Exception {
            try (ChildProcess child = start(ChildDeadline.never(), "sleep", "60")) {
                child.stop(ZERO);
                assertThat(child.waitFor()).isIn(128 + 9, 128 + 15);
            }
        }
    }

    @Nested
    class ACommand {
        @Test
        void thatDoesNotExistIs127() {
            assertThatThrownBy(() -> start(ChildDeadline.never(), "no-such-command"))
                    .isInstanceOfSatisfying(
                            CommandStartException.class,
                            e -> assertThat(e.exitStatus()).isEqualTo(127))
                    .hasMessage("no-such-command: command not found");
        }

        @Test
        void thatMayNotBeExecutedIs126() throws Exception {
            Path file = Files.writeString(folder.resolve("text"), "text");
            assertThatThrownBy(() -> start(ChildDeadline.never(), file.toString()))
                    .isInstanceOfSatisfying(
                            CommandStartException.class,
                            e -> assertThat(e.exitStatus()).isEqualTo(126));
        }

        @Test
        void getsOurEnvironmentAndItsOwnVariables() throws Exception {
            Path file = folder.resolve("environment");
            // An odd name, which dash would drop, and names that the watchdog uses for its own variables.
            Map<String, String> variables =
                    Map.of("a.b", "odd", "folder", "mine", "FENCELINE_TOKEN", "7", "OUT", file.toString());
            ChildCommand command = new ChildCommand(
                    List.of("sh", "-c", "cat /proc/$$/environ | tr '\\0' '\\n' > \"$OUT\""), variables);
            try (ChildProcess child = ChildProcess.start(command, clock, ChildDeadline.never())) {
                assertThat(child.waitFor()).isZero();
            }
            assertThat(Files.readAllLines(file))
                    .contains("a.b=odd", "folder=mine", "FENCELINE_TOKEN=7", "PATH=" + System.getenv("PATH"));
        }

        @Test
        void keepsItsWordsAsTheyAre() throws Exception {
            Path file = folder.resolve("words");
            String[] odd = {"", "two words", "$HOME", "*", "'\"", "-n"};
            String script = "for w; do printf '%s\\n' \"$w\"; done > \"$0\"";
            List<String> words = new ArrayList<>(List.of("sh", "-c", script, file.toString()));
            words.addAll(List.of(odd));
            try (ChildProcess child = start(ChildDeadline.never(), words.toArray(String[]::new))) {
                assertThat(child.waitFor()).isZero();
            }
            assertThat(Files.readAllLines(file)).containsExactly(odd);
        }

        @Test
        void hasNoChildThatItDidNotStart() throws Exception {
            Path file = folder.resolve("children");
            String script = "ps -o pid=,comm= --ppid $$ | grep -v ' ps$' > \"$0\"; :";
            try (ChildProcess child = start(in(ofSeconds(60), ofSeconds(60)), "sh", "-c", script, file.toString())) {
                child.waitFor();
            }
            assertThat(Files.readAllLines(file)).noneMatch(line -> line.contains("bash"));
        }
    }
}
