package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a store promises to a process when another one is stopped or killed at any point of an operation. Extended by tests with
 * a {@link ClientProcessFixture}; the clients are JVMs with the test's class path.
 *
 * <p>{@code -Dfenceline.rounds=} says how often, 6 if it is not said; {@code -Dfenceline.seed=} repeats the moments of a run as
 * far as processes can be repeated.
 */
@Timeout(1800)
@DisabledOnOs(OS.WINDOWS) // which cannot stop a process
public abstract class ClientProcessContract extends AbilityContract {

    private static final int ROUNDS = Integer.getInteger("fenceline.rounds", 6);

    private static final int MOMENTS_MICROS = 3_000;

    private final long seed = Long.getLong("fenceline.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<ClientProcess> clients = new ArrayList<>();

    @TempDir
    Path folder;

    /** Creates the contract; called by test engines. */
    protected ClientProcessContract() {}

    @Override
    protected abstract ClientProcessFixture newFixture();

    @AfterEach
    final void killClients() {
        clients.forEach(ClientProcess::close);
    }

    @Test
    @Tag("G11")
    void areDelayedByAStoppedOneForNoLongerThanTheTtl() {
        List<Long> mine = new ArrayList<>();
        ClientProcess victim = start(0);
        for (int round = 0; round < ROUNDS; round++) {
            awaitAnyMomentOf(victim);

            victim.stop();

            Grant grant = acquireWithinTtlOf(victim);
            mine.add(grant.token().value());
            assertThat(release(grant)).isTrue();
            if (victim.isAlive()) {
                victim.resume();
            } else {
                victim = start(0);
            }
        }
        assertThat(victim.end()).as("exit code").isZero();
        assertDistinctAndRising(List.of(mine, ClientProcess.tokens(tokensOf(0))));
    }

    @Test
    @Tag("G11")
    void areDelayedByAKilledOneForNoLongerThanTheTtl() {
        List<Long> mine = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            ClientProcess victim = start(0);
            awaitAnyMomentOf(victim);

            victim.kill();

            Grant grant = acquireWithinTtlOf(victim);
            assertThat(ClientProcess.tokens(tokensOf(0)))
                    .last()
                    .satisfies(last -> assertThat(last).isLessThan(grant.token().value()));
            mine.add(grant.token().value());
            assertThat(release(grant)).isTrue();
        }
        assertDistinctAndRising(List.of(mine, ClientProcess.tokens(tokensOf(0))));
    }

    @Test
    @Tag("G2")
    void areNeverGrantedOneTokenTwiceThoughSomeAreKilledAndSomeAreStopped() {
        for (int i = 0; i < 3; i++) {
            start(i);
        }
        for (int round = 0; round < ROUNDS; round++) {
            int chosen = round % 3;
            ClientProcess victim = clients.get(chosen);
            ClientProcess other = clients.get((chosen + 1) % 3);
            awaitAnyMomentOf(victim);
            if (random.nextBoolean() && !processes().stoppedClientsHoldOthersUp()) {
                victim.stop();
                other.awaitGrants(3);
                victim.resume();
            } else {
                victim.kill();
                other.awaitGrants(3);
                clients.set(chosen, ClientProcess.start(processes(), KEY, tokensOf(chosen)));
            }
        }
        assertThat(clients)
                .allSatisfy(client -> assertThat(client.end()).as("exit code").isZero());

        List<List<Long>> tokens = List.of(
                ClientProcess.tokens(tokensOf(0)),
                ClientProcess.tokens(tokensOf(1)),
                ClientProcess.tokens(tokensOf(2)));
        assertDistinctAndRising(tokens);
        Grant next = take(KEY);
        assertThat(tokens.stream().flatMap(List::stream))
                .allSatisfy(token -> assertThat(token).isLessThan(next.token().value()));
    }

    private ClientProcessFixture processes() {
        return (ClientProcessFixture) fixture();
    }

    private ClientProcess start(int client) {
        ClientProcess process = ClientProcess.start(processes(), KEY, tokensOf(client));
        clients.add(process);
        return process;
    }

    private Path tokensOf(int client) {
        return folder.resolve("tokens-" + client);
    }

    private void awaitAnyMomentOf(ClientProcess client) {
        client.awaitGrants(1);
        ClientProcess.park(Duration.ofNanos(random.nextInt(MOMENTS_MICROS) * 1_000L));
    }

    /** Asks again and again, as the engine would. */
    private Grant acquireWithinTtlOf(ClientProcess victim) {
        Duration limit = processes().clientTtl().plus(processes().allowance());
        long startNanos = System.nanoTime();
        int attempts = 0;
        do {
            attempts++;
            try {
                AcquireRequest request = request(KEY, LockId.random(), LONG_TTL);
                if (backend.acquire(request) instanceof Granted granted) {
                    return granted.grant();
                }
            } catch (BackendException heldUp) {
                if (!processes().stoppedClientsHoldOthersUp() || !heldUp.code().isTransient()) {
                    throw heldUp;
                }
                victim.kill();
            }
            ClientProcess.park(Duration.ofMillis(5));
        } while (System.nanoTime() - startNanos < limit.toNanos());
        throw new AssertionError("a client that was stopped or killed still holds up others after " + limit + " and "
                + attempts + " attempts; its ttl is " + processes().clientTtl() + ", seed " + seed);
    }

    private void assertDistinctAndRising(List<List<Long>> tokensOfClients) {
        assertThat(tokensOfClients)
                .as("seed " + seed)
                .allSatisfy(tokens -> assertThat(tokens).isNotEmpty().isSorted());
        assertThat(tokensOfClients.stream().flatMap(List::stream))
                .as("seed " + seed)
                .doesNotHaveDuplicates();
    }
}
