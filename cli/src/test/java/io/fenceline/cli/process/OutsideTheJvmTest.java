package io.fenceline.cli.process;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.cli.process.BootClock.BootTime;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What can only be seen from outside a JVM that runs a child: streams, signals, and its own stop and death. */
@Timeout(60)
class OutsideTheJvmTest {
    private static final String IGNORES_TERM = "trap '' TERM; echo $$ > \"$0\"; while :; do sleep 0.1; done";

    /** How late a loaded machine may let us look. */
    private static final Duration SLACK = ofSeconds(2);

    @TempDir
    private Path folder;

    @Nested
    class Streams {
        @Test
        void areTheChilds() throws Exception {
            try (ExecProcess run =
                    ExecProcess.start(folder, ZERO, ZERO, "sh", "-c", "cat; echo $FENCELINE_TOKEN >&2; exit 3")) {
                try (var stdin = run.jvm().outputWriter()) {
                    stdin.write("typed");
                }
                assertThat(run.jvm().inputReader().readLine()).isEqualTo("typed");
                assertThat(run.jvm().errorReader().readLine()).isEqualTo("7");
                assertThat(run.jvm().waitFor()).isEqualTo(3);
            }
        }

        @Test
        void areClosedWhenTheChildEndsAlthoughTheDeadlineIsFarAway() throws Exception {
            try (ExecProcess run = ExecProcess.start(folder, ofSeconds(600), ofSeconds(600), "echo", "hi")) {
                assertThat(run.jvm().waitFor(20, SECONDS)).isTrue();
                assertThat(run.jvm().inputReader().lines()).containsExactly("hi");
                assertThat(run.leftAnyFile()).isFalse();
            }
        }

        @Test
        void tellThatTheCommandIsMissing() throws Exception {
            try (ExecProcess run = ExecProcess.start(folder, ZERO, ZERO, "no-such-command")) {
                assertThat(run.jvm().errorReader().lines())
                        .containsExactly("fenceline: no-such-command: command not found");
                assertThat(run.jvm().waitFor()).isEqualTo(127);
            }
        }
    }

    @Nested
    class Signals {
        @Test
        void reachTheGrandchildrenToo() throws Exception {
            Path pid = folder.resolve("pid");
            String grandchild = "trap 'exit 0' TERM; echo $$ > \"$0\"; while :; do sleep 0.05; done";
            String script = "trap 'wait; exit 4' TERM; sh -c \"$1\" \"$0\" & wait";
            try (ExecProcess run =
                    ExecProcess.start(folder, ZERO, ZERO, "sh", "-c", script, pid.toString(), grandchild)) {
                long number = ExecProcess.numberIn(pid);
                run.signal("TERM");
                assertThat(run.jvm().waitFor()).isEqualTo(4);
                assertThat(ProcessHandle.of(number)).isEmpty();
            }
        }

        @Test
        void endTheJvmAsTheyEndTheChild() throws Exception {
            Path pid = folder.resolve("pid");
            try (ExecProcess run = ExecProcess.start(
                    folder, ZERO, ZERO, "sh", "-c", "echo $$ > \"$0\"; exec sleep 60", pid.toString())) {
                ExecProcess.numberIn(pid);
                run.signal("TERM");
                assertThat(run.jvm().waitFor()).isEqualTo(128 + 15);
            }
        }
    }

    @Nested
    class TheWatchdog {
        @Test
        void killsTheChildWhileTheJvmIsStopped() throws Exception {
            Path pid = folder.resolve("pid");
            try (ExecProcess run = ExecProcess.start(
                    folder, ofMillis(2000), ofMillis(2500), "sh", "-c", IGNORES_TERM, pid.toString())) {
                long child = ExecProcess.numberIn(pid);
                run.signal("STOP");
                // The stopped JVM cannot reap it: what is left of the child is a zombie.
                await().untilAsserted(
                                () -> assertThat(ExecProcess.session(child)).isEmpty());
                assertThat(run.leftAnyFile()).isFalse();
                run.signal("CONT");
                assertThat(run.jvm().waitFor()).isEqualTo(128 + 9);
            }
        }

        @Test
        void killsTheChildOfADeadJvmAndCleansUp() throws Exception {
            Path pid = folder.resolve("pid");
            try (ExecProcess run = ExecProcess.start(
                    folder, ofMillis(2000), ofMillis(2500), "sh", "-c", IGNORES_TERM, pid.toString())) {
                long child = ExecProcess.numberIn(pid);
                BootTime killAt = run.killAt();
                run.jvm().destroyForcibly().waitFor();
                assertThat(ExecProcess.session(child)).isNotEmpty();
                await().untilAsserted(
                                () -> assertThat(ExecProcess.session(child)).isEmpty());
                assertThat(BootClock.ofThisMachine().now()).isLessThan(killAt.plus(SLACK));
                assertThat(run.leftAnyFile()).isFalse();
            }
        }

        @Test
        void endsWithTheChildOfADeadJvm() throws Exception {
            Path pid = folder.resolve("pid");
            String script = "echo $$ > \"$0\"; exec sleep 1";
            try (ExecProcess run =
                    ExecProcess.start(folder, ofSeconds(2), ofSeconds(600), "sh", "-c", script, pid.toString())) {
                long child = ExecProcess.numberIn(pid);
                run.jvm().destroyForcibly().waitFor();
                await().untilAsserted(
                                () -> assertThat(ExecProcess.session(child)).isEmpty());
                assertThat(run.leftAnyFile()).isFalse();
            }
        }
    }
}
