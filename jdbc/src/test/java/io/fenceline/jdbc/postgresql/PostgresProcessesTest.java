package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that are stopped, and servers that are killed. {@code -Dfenceline.restarts=100} is the long run. */
@Timeout(1800)
class PostgresProcessesTest {

    private static final LockKey KEY = LockKey.of("hot");
    private static final int STOPS = Integer.getInteger("fenceline.stops", 8);
    private static final int RESTARTS = Integer.getInteger("fenceline.restarts", 3);
    private static final int THREADS = 4;

    private final Random random = new Random(Long.getLong("fenceline.seed", System.nanoTime()));
    private volatile boolean over;

    @Test
    @Tag("G11")
    void aClientThatIsStoppedAtAnyMomentKeepsNobodyOutForLongerThanItsLease() throws Exception {
        PostgresServer server = TestServer.shared();
        String uri = server.uri() + "&table=" + TestServer.newSchema(server) + ".fenceline_lock";
        try (LockBackend backend = Backends.open(uri);
                ContendingClient client = ContendingClient.start(uri, KEY)) {
            for (int i = 0; i < STOPS; i++) {
                Delays.system().park(random.nextInt(20_000_000));
                client.signal("STOP");

                await().atMost(Duration.ofSeconds(20))
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> takeAndRelease(backend));

                client.signal("CONT");
            }
        }
    }

    private static boolean takeAndRelease(LockBackend backend) {
        LockId id = LockId.random();
        return acquire(backend, id) instanceof Granted && backend.release(KEY, id);
    }

    @Test
    @Tag("G2")
    void aServerThatIsKilledAmidContendedAcquiresGivesNoTokenTwiceAndNoneThatIsLess() throws Exception {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (PostgresServer server = PostgresServer.start(Map.of())) {
            List<Future<Void>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                LockBackend backend = Backends.open(server.uri()); // now, since it fails while the server is away
                ends.add(threads.submit(() -> contend(backend, tokens)));
            }
            for (int i = 0; i < RESTARTS; i++) {
                awaitGrants(tokens, 20);
                Delays.system().park(random.nextInt(30_000_000));
                server.kill();
                long greatest = tokens.stream().mapToLong(token -> token).max().orElseThrow();
                int before = tokens.size();
                server.startAgain();

                awaitGrants(tokens, 5);
                List<Long> all = List.copyOf(tokens);
                // Those that were granted before the end may be written down after it, one for each thread.
                assertThat(all.subList(before + THREADS, all.size()))
                        .allSatisfy(token -> assertThat(token).isGreaterThan(greatest));
            }
            over = true;
            for (Future<Void> end : ends) {
                end.get();
            }
        } finally {
            over = true;
            threads.shutdown();
        }
        assertThat(tokens).hasSizeGreaterThan(20 * RESTARTS).doesNotHaveDuplicates();
    }

    private Void contend(LockBackend backend, List<Long> tokens) throws InterruptedException {
        long last = 0;
        try (backend) {
            while (!over) {
                LockId id = LockId.random();
                try {
                    if (acquire(backend, id) instanceof Granted granted) {
                        long token = granted.grant().token().value();
                        assertThat(token).isGreaterThan(last);
                        last = token;
                        tokens.add(token);
                        backend.release(KEY, id);
                    }
                } catch (BackendException away) {
                    assertThat(away.code())
                            .isIn(
                                    ErrorCode.SERVICE_UNAVAILABLE,
                                    ErrorCode.NETWORK_TIMEOUT,
                                    ErrorCode.ABORTED,
                                    ErrorCode.RATE_LIMITED);
                    Delays.system().park(1_000_000);
                }
            }
        }
        return null;
    }

    private static Acquisition acquire(LockBackend backend, LockId id) {
        return backend.acquire(AcquireRequest.of(KEY, id, ContendingClient.TTL, Holder.of("me")));
    }

    private static void awaitGrants(List<Long> tokens, int more) {
        int enough = tokens.size() + more;
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> tokens.size() >= enough);
    }
}
