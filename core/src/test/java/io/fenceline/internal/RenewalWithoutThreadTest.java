package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** L3 where no thread can be started for a renewal. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a step that fails again and again never ends
class RenewalWithoutThreadTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final AtomicInteger threadsLeft = new AtomicInteger();
    private final EngineOnManualTime bench =
            new EngineOnManualTime(EngineOnManualTime.threads(new RenewalThreads(this::thread, RenewalThreads.SLOW)));

    private Thread thread(Runnable task) {
        if (threadsLeft.getAndDecrement() <= 0) {
            throw new OutOfMemoryError("unable to create native thread (thrown by the test)");
        }
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @Tag("L3")
    void isTriedAgainLikeOneThatFailed() {
        Lease lease = bench.acquire("a", TTL);

        bench.pass(TTL.dividedBy(3));
        assertThat(bench.heard).hasAtLeastOneElementOfType(LockEvent.RenewalFailed.class);
        bench.pass(Duration.ofSeconds(1));
        threadsLeft.set(1);
        bench.pass(Duration.ofSeconds(1));

        EngineOnManualTime.await("a renewal", () -> bench.count(LockEvent.Renewed.class) == 1);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    @Tag("L3")
    void isLeftOnceToTheThreadThatRenewsAnother() throws Exception {
        CountDownLatch firstBegan = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<String> extended = new CopyOnWriteArrayList<>();
        bench.beforeExtension = key -> {
            extended.add(key.value());
            firstBegan.countDown();
            awaitQuietly(goOn);
        };
        threadsLeft.set(1);
        bench.acquire("first", TTL);
        bench.pass(Duration.ofSeconds(1));
        bench.acquire("second", TTL);

        bench.pass(TTL.dividedBy(3).minusSeconds(1));
        firstBegan.await();
        bench.pass(Duration.ofSeconds(1));
        bench.pass(Duration.ofSeconds(1));
        goOn.countDown();

        EngineOnManualTime.await("two renewals", () -> bench.count(LockEvent.Renewed.class) == 2);
        assertThat(extended).containsExactly("first", "second");
        assertThat(bench.heard).doesNotHaveAnyElementsOfTypes(LockEvent.RenewalFailed.class);
    }

    /** The failure is one that a renewal does not expect: the step of the watch fails with it. */
    @Test
    @Tag("L3")
    void isTriedAgainAfterAPauseIfItsStepFailed() {
        Lease lease = bench.acquire("a", TTL);
        bench.random = () -> {
            throw new IllegalStateException("thrown by the test");
        };

        bench.pass(TTL.dividedBy(3));
        assertThat(bench.engine.runDueSteps()).isPositive().isLessThanOrEqualTo(Duration.ofMillis(10));
        bench.random = () -> 0.5;
        threadsLeft.set(1);
        bench.pass(Duration.ofMillis(10));

        EngineOnManualTime.await("a renewal", () -> bench.count(LockEvent.Renewed.class) == 1);
        assertThat(lease.isHeld()).isTrue();
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
