package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.cli.output.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a command of {@code fenceline exec} when its lease ends before it does. */
class LostLeaseIT extends CommandTest {

    private static final Duration TTL = Duration.ofSeconds(5);

    /** Says that it runs, cannot be asked to stop, and would leave a trace if it came to its end. */
    private static final String STUBBORN =
            "trap '' TERM; echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; while [ ! -e \"$0.finish\" ]; do sleep 0.05; done; : > \"$0.finished\"";

    /** Says that it runs and ends at once when it is asked to. */
    private static final String WILLING = "echo $$ > \"$0\"; exec sleep 1000";

    /** Ends with 0 if a process does not run any more, and leaves the token behind. */
    private static final String NEXT =
            "echo \"$FENCELINE_TOKEN\"; case $(ps -o stat= -p \"$0\") in ''|Z*) exit 0;; esac; exit 1";

    private Path pidFile;

    @BeforeEach
    void setUp() {
        pidFile = folder.resolve("pid");
    }

    private FencelineProcess startStubborn() {
        return start(STUBBORN);
    }

    private FencelineProcess start(String script) {
        return FencelineProcess.start(
                store.uri(), "exec", "--ttl", TTL.toMillis() + "ms", "k", "--", "sh", "-c", script, pidFile.toString());
    }

    /** Takes the lock as the next one and makes sure that the child before is gone by then. */
    private void nextFindsNobody(long child) {
        CommandRun next = FencelineProcess.run(store.uri(), "exec", "k", "--", "sh", "-c", NEXT, Long.toString(child));
        assertThat(next.err()).isEmpty();
        assertThat(next.exitCode()).as("the child still ran").isZero();
        assertThat(Long.parseLong(next.out())).isGreaterThan(1);
    }

    private void assertLost(CommandRun exec, String reason) {
        assertThat(exec.err())
                .hasLineCount(1)
                .startsWith("fenceline: lease of lock 'k' with token 000000000000001 is lost: " + reason);
        assertThat(exec.exitCode()).isEqualTo(ExitCode.LEASE_LOST);
    }

    @Nested
    class ExecThatIsKilled {

        @Test
        void leavesNoChildToTheNextHolderWhoWaitsForTheTtlAtMost() {
            try (FencelineProcess exec = startStubborn()) {
                long child = FencelineProcess.numberIn(pidFile);
                long killed = System.nanoTime();
                exec.signal("KILL");
                nextFindsNobody(child);
                // The promise is the ttl and the waiter's longest pause; the rest is for a machine that is busy.
                assertThat(Duration.ofNanos(System.nanoTime() - killed))
                        .isLessThan(TTL.plusSeconds(1).plus(Duration.ofSeconds(20)));
            }
        }
    }

    @Nested
    class ExecThatIsStopped {

        @Test
        void withItsChildFindsItDeadWhenItGoesOn() {
            try (FencelineProcess exec = startStubborn()) {
                long child = FencelineProcess.numberIn(pidFile);
                exec.signal("STOP");
                FencelineProcess.signal("STOP", -child);
                nextFindsNobody(child);
                exec.signal("CONT");
                assertLost(exec.end(), "its time ran out before it was renewed");
                assertThat(Path.of(pidFile + ".finished")).doesNotExist();
            }
        }
    }

    @Nested
    class AForcedRelease {

        @Test
        void stopsTheChild() {
            try (FencelineProcess exec = startStubborn()) {
                long child = FencelineProcess.numberIn(pidFile);
                assertThat(FencelineProcess.run(store.uri(), "release", "--force", "k")
                                .exitCode())
                        .isZero();
                assertLost(exec.end(), "the store no longer has it");
                assertThat(FencelineProcess.isRunning(child)).isFalse();
            }
        }

        @Test
        void isNoticedAtTheEndOfACommandThatWasFaster() throws IOException {
            try (FencelineProcess exec = FencelineProcess.start(
                    store.uri(), "exec", "--ttl", "5m", "k", "--", "sh", "-c", STUBBORN, pidFile.toString())) {
                FencelineProcess.numberIn(pidFile);
                FencelineProcess.run(store.uri(), "release", "--force", "k");
                Files.createFile(Path.of(pidFile + ".finish"));
                assertLost(exec.end(), "the store no longer has it");
                assertThat(Path.of(pidFile + ".finished")).exists();
            }
        }
    }

    @Nested
    class AStoreThat {

        @ParameterizedTest
        @ValueSource(strings = {STUBBORN, WILLING})
        void isRemovedStopsTheChildInTime(String script) throws IOException {
            try (FencelineProcess exec = start(script)) {
                long child = FencelineProcess.numberIn(pidFile);
                for (Path part : parts()) {
                    Files.delete(part);
                }
                assertLost(exec.end(), "its time ran out before it was renewed (the last renewal failed: ");
                assertThat(FencelineProcess.isRunning(child)).isFalse();
            }
        }

        @Test
        void isOverwrittenStopsTheChildInTime() throws IOException {
            try (FencelineProcess exec = startStubborn()) {
                long child = FencelineProcess.numberIn(pidFile);
                for (Path part : parts()) {
                    Files.write(part, new byte[(int) Files.size(part)], StandardOpenOption.WRITE);
                }
                assertLost(exec.end(), "its time ran out before it was renewed");
                assertThat(FencelineProcess.isRunning(child)).isFalse();
            }
        }

        private Path[] parts() throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.filter(path -> path.getFileName().toString().startsWith("locks.db"))
                        .toArray(Path[]::new);
            }
        }
    }

    @Nested
    class Hold {

        @Test
        void endsWhenItsLeaseIsLost() {
            try (FencelineProcess hold = FencelineProcess.start(store.uri(), "hold", "--ttl", "3s", "k")) {
                await().atMost(FencelineProcess.PATIENCE).until(() -> store.isLocked("k"));
                FencelineProcess.run(store.uri(), "release", "--force", "k");
                CommandRun end = hold.end();
                assertThat(end.exitCode()).isEqualTo(ExitCode.LEASE_LOST);
                assertThat(end.out()).contains("000000000000001");
            }
        }
    }
}
