package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine on Redis: two processes, for which two backends stand, whose threads all want one lock. */
@Timeout(60)
class RedisLocksTest {

    private static final int THREADS = 4;
    private static final int TURNS = 50;
    private static final LockOptions PATIENT = LockOptions.defaults().withMaxWait(Duration.ofSeconds(30));

    private final List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    private RedisServer server;
    private int counter;

    @BeforeEach
    void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void loseNoUpdateAndCostAtMostTwoCommandsForEachGrant() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
        try (RedisLockBackend one = RedisLockBackend.open(server.uri(), RedisOptions.defaults());
                RedisLockBackend two = RedisLockBackend.open(server.uri(), RedisOptions.defaults());
                Locks here = Locks.over(one);
                Locks there = Locks.over(two)) {
            try (Lease warm = here.acquire("warm", PATIENT);
                    Lease warmToo = there.acquire("warm too", PATIENT)) {
                assertThat(warm.isHeld() && warmToo.isHeld()).isTrue();
            }
            server.call("CONFIG", "RESETSTAT");

            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 2 * THREADS; i++) {
                Locks locks = i % 2 == 0 ? here : there;
                all.add(threads.submit(() -> work(locks)));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }

        int grants = 2 * THREADS * TURNS;
        assertThat(counter).isEqualTo(grants);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(calls()).isLessThanOrEqualTo(2 * grants + grants / 10);
    }

    private Void work(Locks locks) throws InterruptedException {
        for (int i = 0; i < TURNS; i++) {
            try (Lease lease = locks.acquire("contended", PATIENT)) {
                tokens.add(lease.token().value());
                counter++;
            }
        }
        return null;
    }

    private long calls() {
        String stats = server.info("cmdstat_evalsha");
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }
}
