package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.spi.Backends;
import io.fenceline.testkit.ClientProcessContract;
import io.fenceline.testkit.ClientProcessFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Processes that contend for one lock. {@code -Dfenceline.firestore.acquires=500} is the long run; {@code
 * -Dfenceline.firestore.stops=true} also stops and kills processes in the middle of operations.
 */
@NeedsFirestore
@Timeout(3600)
class FirestoreProcessesTest {

    private static final int PROCESSES = 4;
    private static final int ACQUIRES = Integer.getInteger("fenceline.firestore.acquires", 8);

    private final FirestoreFixture fixture = new FirestoreFixture(TestStore.get());

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Takes a lock so many times, and says each time which token it had and between which moments it was inside. */
    static final class Contender {
        public static void main(String[] args) throws Exception {
            LockOptions patient = LockOptions.defaults().withMaxWait(Duration.ofMinutes(10));
            StringBuilder said = new StringBuilder();
            try (Locks locks = Locks.over(Backends.open(args[0]))) {
                for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                    try (Lease lease = locks.acquire("hot", patient)) {
                        long from = System.nanoTime();
                        said.append(lease.token().value()).append(' ').append(from);
                        said.append(' ').append(System.nanoTime()).append('\n');
                    }
                }
            }
            System.out.print(said);
        }
    }

    @Test
    @Tag("G1")
    @Tag("G2")
    void eachGetTheirTurnsWithoutAnErrorAndTokensInTheOrderOfTheTurns() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Contender.class.getName(),
                            fixture.uri(),
                            Integer.toString(ACQUIRES))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        }
        List<long[]> turns = new ArrayList<>();
        for (Process process : processes) {
            turns.addAll(turns(process));
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).as("exit code").isZero();
        }

        turns.sort((a, b) -> Long.compare(a[0], b[0]));
        assertThat(turns).hasSize(PROCESSES * ACQUIRES);
        for (int i = 1; i < turns.size(); i++) {
            // The monotonic clock is one for all processes of a machine.
            assertThat(turns.get(i)[0]).as("token").isGreaterThan(turns.get(i - 1)[0]);
            assertThat(turns.get(i)[1]).as("turn begins after the one before").isGreaterThan(turns.get(i - 1)[2]);
        }
    }

    @Nested
    @EnabledIfSystemProperty(named = "fenceline.firestore.stops", matches = "true")
    class StoppedAndKilled extends ClientProcessContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new FirestoreFixture(TestStore.get());
        }
    }

    private static List<long[]> turns(Process process) throws IOException {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            return output.lines()
                    .map(line -> line.split(" "))
                    .map(words ->
                            new long[] {Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2])})
                    .toList();
        }
    }
}
