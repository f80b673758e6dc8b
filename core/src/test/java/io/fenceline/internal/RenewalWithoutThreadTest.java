package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.time.Delays;
import io.fenceline.time.Ticker;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** L3 where no thread can be started for a renewal. */
class RenewalWithoutThreadTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicBoolean threadsAreShort = new AtomicBoolean(true);
    private final CountDownLatch renewed = new CountDownLatch(1);
    private final List<LockEvent> heard = new CopyOnWriteArrayList<>();
    private final Engine engine = engine(new RenewalThreads(task -> {
        if (threadsAreShort.get()) {
            throw new OutOfMemoryError("unable to create native thread (thrown by the test)");
        }
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }));

    private Engine engine(Renewals renewals) {
        TimeSource time = new TimeSource(nanos::get, () -> nanos.get() / 1_000_000, Delays.system());
        Ticker ticker = nanos::get;
        MemoryLockBackend backend =
                new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, ticker, () -> nanos.get() / 1_000_000));
        EngineThreads threads = new EngineThreads(false, renewals, Runnable::run, Runnable::run, Runnable::run);
        return new Engine(backend, time, () -> 0.5, threads, List.of(this::hear), null);
    }

    private void hear(LockEvent event) {
        heard.add(event);
        if (event instanceof LockEvent.Renewed) {
            renewed.countDown();
        }
    }

    @Test
    @Tag("L3")
    void isTriedAgainLikeOneThatFailed() throws Exception {
        Lease lease = engine.tryAcquire(LockKey.of("a"), LockOptions.defaults().withTtl(TTL))
                .orElseThrow();

        pass(TTL.dividedBy(3));
        assertThat(heard).hasAtLeastOneElementOfType(LockEvent.RenewalFailed.class);
        pass(Duration.ofSeconds(1));
        threadsAreShort.set(false);
        pass(Duration.ofSeconds(1));

        assertThat(renewed.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(lease.isHeld()).isTrue();
        engine.close();
    }

    private void pass(Duration duration) {
        nanos.addAndGet(duration.toNanos());
        engine.runDueSteps();
    }
}
