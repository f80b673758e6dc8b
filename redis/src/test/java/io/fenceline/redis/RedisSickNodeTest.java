package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One of the three masters of a cluster stands still for less than the cluster's node timeout, so that nobody takes its place. */
@Timeout(120)
class RedisSickNodeTest {

    private static final Duration OUTAGE = Duration.ofSeconds(12);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(4);
    private static final RedisOptions OPTIONS = RedisOptions.defaults().withCommandTimeout(COMMAND_TIMEOUT);

    /** The last slot of the first of three masters. */
    private static final int LAST_SLOT = SlotHash.SLOT_COUNT / 3 - 1;

    private static RedisCluster cluster;
    private static RedisServer sick;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(RedisSettings.inMemory());
        cluster.nodes().forEach(node -> node.call("CONFIG", "SET", "cluster-node-timeout", "60000"));
        sick = cluster.nodes().get(0);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void resume() {
        sick.resume();
    }

    @Test
    @Tag("L3")
    void callsToTheOthersNeitherFailNorWait() throws Exception {
        try (RedisLockBackend backend = RedisLockBackend.open(cluster.uri(), OPTIONS)) {
            List<LockKey> healthy = keys("call", 40, false);
            List<LockKey> hanging = keys("call", 10, true);
            healthy.forEach(key -> cycle(backend, key));
            hanging.forEach(key -> cycle(backend, key));
            sick.pause();
            List<Thread> callers = hanging.stream()
                    .map(key -> new Thread(() -> hang(backend, key)))
                    .toList();
            callers.forEach(Thread::start);

            long end = System.nanoTime() + OUTAGE.toNanos();
            for (int i = 0; System.nanoTime() < end; i++) {
                long began = System.nanoTime();
                cycle(backend, healthy.get(i % healthy.size()));
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(COMMAND_TIMEOUT);
            }

            sick.resume();
            for (Thread caller : callers) {
                caller.join();
            }
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .untilAsserted(() -> backend.isLocked(hanging.get(0)));
        }
    }

    @Test
    @Tag("L3")
    void noLeaseOnTheOthersIsLost() throws Exception {
        LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(10));
        try (RedisLockBackend backend = RedisLockBackend.open(cluster.uri(), OPTIONS);
                Locks locks = Locks.over(backend)) {
            List<Lease> leases = new ArrayList<>();
            for (LockKey key : keys("lease", 300, false)) {
                leases.add(locks.acquire(key.value(), options));
            }
            List<Lease> onSick = new ArrayList<>();
            for (LockKey key : keys("lease", 100, true)) {
                onSick.add(locks.acquire(key.value(), options));
            }
            sick.pause();

            Thread.sleep(OUTAGE.toMillis()); // what is tried is that nothing happens meanwhile
            sick.resume();

            assertThat(leases).allMatch(Lease::isHeld);
            onSick.forEach(Lease::close);
        }
    }

    private static void hang(RedisLockBackend backend, LockKey key) {
        long end = System.nanoTime() + OUTAGE.toNanos();
        while (System.nanoTime() < end) {
            try {
                cycle(backend, key);
            } catch (BackendException silent) {
                assertThat(silent.code().isTransient()).isTrue();
            }
        }
    }

    private static void cycle(RedisLockBackend backend, LockKey key) {
        LockId lockId = LockId.random();
        assertThat(backend.acquire(AcquireRequest.of(key, lockId, Duration.ofMinutes(1), Holder.of("node"))))
                .isInstanceOf(Granted.class);
        backend.release(key, lockId);
    }

    /** Returns keys that the sick master serves, or that others serve. */
    private static List<LockKey> keys(String name, int count, boolean onSick) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> LockKey.of(name + i))
                .filter(key -> onSick == (SlotHash.getSlot("fenceline:{" + key + "}") <= LAST_SLOT))
                .limit(count)
                .toList();
    }
}
