package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.TokenMode;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills the server again and again while processes compete for one lock. {@code -Dfenceline.kills=100} for the long run.
 *
 * <p>Without persistence a lease is lost with the server, so two holders may overlap; their tokens still rise in the order of
 * the grants, by which a guard tells them apart.
 */
class RedisCrashTest {

    private static final int KILLS = Integer.getInteger("fenceline.kills", 3);
    private static final int CLIENTS = 4;
    private static final LockKey KEY = LockKey.of("contended");

    private enum Store {
        IN_MEMORY(RedisSettings.inMemory(), TokenMode.CLOCK_FLOOR),
        DURABLE(RedisSettings.durable(), TokenMode.CLOCK_FLOOR),
        DURABLE_COUNTING(RedisSettings.durable(), TokenMode.COUNTER),
        SHARED_WITH_SYNCGUARD(
                RedisSettings.durable(), RedisOptions.defaults().withLayout(KeyLayout.syncGuard("syncguard")));

        private final RedisSettings settings;
        private final RedisOptions options;

        Store(RedisSettings settings, TokenMode mode) {
            this(settings, RedisOptions.defaults().withTokenMode(mode));
        }

        Store(RedisSettings settings, RedisOptions options) {
            this.settings = settings;
            this.options = options;
        }
    }

    private final ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();
    private volatile boolean over;
    private volatile Throwable failure;

    @ParameterizedTest
    @EnumSource
    @Timeout(600)
    void noTokenRepeatsOrFalls(Store store) throws Exception {
        RedisOptions options = store.options.withCommandTimeout(Duration.ofSeconds(1));
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try (RedisServer server = RedisServer.start(store.settings)) {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> compete(server.uri(), options)));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                awaitGrants(20);
                Delays.system().park(ThreadLocalRandom.current().nextLong(10_000_000));
                server.kill();
                server.startAgain();
            }
            awaitGrants(20);
            over = true;
            for (Future<?> client : clients) {
                client.get();
            }
        } finally {
            over = true;
            threads.shutdownNow();
        }

        assertThat(tokens).doesNotHaveDuplicates().hasSizeGreaterThan(20 * KILLS);
    }

    /** Each client sees tokens rise; that they rise across clients is seen by whoever holds the lock next. */
    private void compete(String uri, RedisOptions options) {
        long last = 0;
        try (RedisLockBackend backend = RedisLockBackend.open(uri, options)) {
            while (!over) {
                LockId lockId = LockId.random();
                long before = highest();
                try {
                    if (backend.acquire(AcquireRequest.of(KEY, lockId, Duration.ofMillis(300), Holder.of("node")))
                            instanceof Granted granted) {
                        long token = granted.grant().token().value();
                        assertThat(token).isGreaterThan(last).isGreaterThan(before);
                        last = token;
                        tokens.add(token);
                        backend.release(KEY, lockId);
                    }
                } catch (BackendException away) {
                    assertThat(away.code().isTransient()).as(away.getMessage()).isTrue();
                }
                Delays.system().park(100_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        }
    }

    /** The greatest token that anybody had been told of before asking. */
    private long highest() {
        return tokens.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    private void awaitGrants(int more) throws InterruptedException {
        int enough = tokens.size() + more;
        for (int i = 0; i < 20_000 && tokens.size() < enough && failure == null; i++) {
            Delays.system().park(1_000_000);
        }
        if (failure != null) {
            throw new AssertionError("a client failed", failure);
        }
        assertThat(tokens.size()).isGreaterThanOrEqualTo(enough);
    }
}
