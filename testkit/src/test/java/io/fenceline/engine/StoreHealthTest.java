package io.fenceline.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Locks;
import io.fenceline.StoreHealth;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.ForwardingLockBackend;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The health check of a store that answers, fails, or stands still. */
class StoreHealthTest {

    /** As long as can be: no number of milliseconds. */
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger pings = new AtomicInteger();

    private StoreHealth health(Runnable ping) {
        return StoreHealth.of(Locks.over(new ForwardingLockBackend(new MemoryLockBackend()) {
            @Override
            public void ping() {
                pings.incrementAndGet();
                ping.run();
            }
        }));
    }

    @Test
    void isUpIfTheStoreAnswers() throws Exception {
        StoreHealth.Result result = health(() -> {}).check(LONG);

        assertThat(result.isUp()).isTrue();
        assertThat(result.roundTrip()).isPresent();
    }

    @Test
    void isDownWithTheStoresMessageIfItFails() throws Exception {
        StoreHealth health = health(() -> {
            throw new BackendException(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "no route to host", null);
        });

        StoreHealth.Result result = health.check(LONG);

        assertThat(result.isUp()).isFalse();
        assertThat(result.problem().orElseThrow()).contains("no route to host");
    }

    @Test
    void asksAStoreThatStandsStillOnce() throws Exception {
        StoreHealth health = health(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        for (int i = 0; i < 3; i++) {
            assertThat(health.check(Duration.ofMillis(1)).problem().orElseThrow())
                    .contains("did not reply within 1 ms");
        }
        assertThat(pings).hasValueLessThanOrEqualTo(1);

        end.countDown();
        assertThat(health.check(LONG).isUp()).isTrue();
    }
}
