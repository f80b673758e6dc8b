package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.testkit.TurnTakingClient.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Contract of stores for processes that all want one lock at once, and wait for it as the engine does. Extended by tests with a
 * {@link ClientProcessFixture}; the clients are JVMs with the test's class path.
 *
 * <p>{@code -Dfenceline.acquires=} says how many turns each takes, {@link BackendFixture#cycles()} if it is not said.
 */
@Timeout(3600)
public abstract class TurnTakingContract extends AbilityContract {

    private static final int PROCESSES = 4;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    /** Creates the contract; called by test engines. */
    protected TurnTakingContract() {}

    @Override
    protected abstract ClientProcessFixture newFixture();

    @Test
    @Tag("G1")
    @Tag("G2")
    void haveTheirTurnsWithoutAnErrorWithRisingTokensAndNeverTwoAtOnceByTheStoresClock() throws IOException {
        int each = Integer.getInteger("fenceline.acquires", fixture().cycles());
        List<ChildJvm> clients = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                clients.add(start(i, each));
            }
            awaitTurns(each);
            assertThat(clients)
                    .allSatisfy(
                            client -> assertThat(client.end()).as("exit code").isZero());
        } finally {
            clients.forEach(ChildJvm::close);
        }

        List<Turn> all = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            List<Turn> its = Turn.in(turnsOf(i));
            assertThat(its).as("turns of process " + i).hasSize(each);
            all.addAll(its);
        }
        all.sort(Comparator.comparingLong(Turn::token));
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).token()).isGreaterThan(all.get(i - 1).token());
            assertThat(all.get(i).began()).isGreaterThanOrEqualTo(all.get(i - 1).ended());
        }
    }

    private ChildJvm start(int client, int turns) throws IOException {
        String uri = ((ClientProcessFixture) fixture()).uri();
        Files.createFile(turnsOf(client));
        return ChildJvm.start(
                TurnTakingClient.class,
                Map.of(ContendingClient.URI_VARIABLE, uri),
                KEY.value(),
                Integer.toString(turns),
                turnsOf(client).toString());
    }

    /** However long all take, somebody has a turn all the time. */
    private void awaitTurns(int each) throws IOException {
        long seen = 0;
        long sinceNanos = System.nanoTime();
        while (seen < (long) PROCESSES * each) {
            ClientProcess.park(Duration.ofMillis(5));
            long now = 0;
            for (int i = 0; i < PROCESSES; i++) {
                now += Files.size(turnsOf(i)) / Turn.BYTES;
            }
            if (now > seen) {
                seen = now;
                sinceNanos = System.nanoTime();
            }
            assertThat(System.nanoTime() - sinceNanos)
                    .as("nobody had a turn for " + LONGEST_PAUSE + " after " + seen + " turns")
                    .isLessThan(LONGEST_PAUSE.toNanos());
        }
    }

    private Path turnsOf(int client) {
        return folder.resolve("turns-" + client);
    }
}
