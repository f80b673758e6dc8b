package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** L2 and L3 with the engine's own threads, which are daemons: nothing that blocks holds up what does not. */
class EngineThreadsTest {

    private static final LockOptions UNRENEWED = OPTIONS.withoutRenewal();
    private static final Duration DEADLINE = TTL.minus(MARGIN);

    private final Bench bench = Bench.polling();
    private final Locks locks = bench.builder().build();

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void renewWithoutBeingDriven() throws Exception {
        Lease lease = locks.tryAcquire(NAME).orElseThrow();

        for (int i = 0; i < 3; i++) {
            CountDownLatch renewed = new CountDownLatch(1);
            bench.events.after(BackendOperation.EXTEND, renewed::countDown);
            bench.time.awaitParked(1);
            bench.time.advance(TTL.dividedBy(3));
            assertThat(renewed.await(10, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void tellALossWithoutBeingDriven() throws Exception {
        Lease lease = locks.tryAcquire(NAME, UNRENEWED).orElseThrow();
        CompletableFuture<String> toldOn =
                lease.lost().thenApply(lost -> Thread.currentThread().getName()).toCompletableFuture();

        bench.time.awaitParked(1);
        bench.time.advance(DEADLINE);

        assertThat(toldOn.get(10, TimeUnit.SECONDS)).startsWith("fenceline-callback");
    }

    @Test
    void tellALossThoughTheListenerOfAnotherBlocks() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        List<CompletableFuture<?>> told = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Lease blocking = locks.tryAcquire("blocking " + i, UNRENEWED).orElseThrow();
            blocking.lost().thenAccept(lost -> awaitQuietly(blocked));
            told.add(blocking.lost().toCompletableFuture());
        }
        told.add(locks.tryAcquire(NAME, UNRENEWED).orElseThrow().lost().toCompletableFuture());

        bench.time.awaitParked(1);
        bench.time.advance(DEADLINE);

        assertThat(told.get(20).get(10, TimeUnit.SECONDS)).isNotNull();
        blocked.countDown();
    }

    /** More leases than renewal threads, and every renewal hangs. */
    @Test
    void tellEveryLossThoughAllRenewalsHang() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            bench.events.before(BackendOperation.EXTEND, () -> awaitQuietly(answer));
            leases.add(locks.tryAcquire("key " + i).orElseThrow());
        }
        bench.time.awaitParked(1);
        bench.time.advance(TTL.dividedBy(3));
        bench.time.awaitParked(1);
        bench.time.advance(DEADLINE.minus(TTL.dividedBy(3)));

        for (Lease lease : leases) {
            assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .isNotNull();
        }
        answer.countDown();
    }

    /** One node of a store hangs; its leases fall due first. */
    @Test
    @Tag("L3")
    void renewEveryLeaseOfTheOtherNodesThoughOneNodeHangs() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch renewed = new CountDownLatch(200);
        try (Locks over = lockOver(key -> {
            if (key.value().startsWith("sick")) {
                awaitQuietly(answer);
            } else {
                renewed.countDown();
            }
        })) {
            List<Lease> healthy = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                assertThat(over.tryAcquire("sick " + i)).isPresent();
            }
            for (int i = 0; i < 200; i++) {
                healthy.add(over.tryAcquire("healthy " + i).orElseThrow());
            }
            bench.time.awaitParked(1);
            bench.time.advance(TTL.dividedBy(3));

            assertThat(renewed.await(60, TimeUnit.SECONDS))
                    .as("all were renewed but " + renewed.getCount())
                    .isTrue();
            assertThat(healthy).allMatch(Lease::isHeld);
            answer.countDown();
        }
    }

    /** More leases than there can be threads are tried again and again on a node that hangs. */
    @Test
    @Tag("L3")
    void renewLeasesThatDidNotFailBeforeThoseThatDid() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(400);
        CountDownLatch renewed = new CountDownLatch(50);
        try (Locks over = lockOver(key -> {
            if (!key.value().startsWith("sick")) {
                renewed.countDown();
            } else if (failed.getCount() > 0) {
                failed.countDown();
                throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "thrown by the test", null);
            } else {
                awaitQuietly(answer);
            }
        })) {
            for (int i = 0; i < 400; i++) {
                assertThat(over.tryAcquire("sick " + i)).isPresent();
            }
            bench.time.awaitParked(1);
            bench.time.advance(TTL.dividedBy(3));
            assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 50; i++) {
                assertThat(over.tryAcquire("healthy " + i)).isPresent();
            }
            bench.time.awaitParked(1);
            bench.time.advance(TTL.dividedBy(3).plusSeconds(1));

            assertThat(renewed.await(60, TimeUnit.SECONDS))
                    .as("all were renewed but " + renewed.getCount())
                    .isTrue();
            answer.countDown();
        }
    }

    /** Locks with threads of their own, on a store in which something happens before each extension. */
    private Locks lockOver(Consumer<LockKey> beforeExtension) {
        return Locks.builder(new ForwardingLockBackend(bench.stranger) {
                    @Override
                    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                        beforeExtension.accept(key);
                        return delegate().extend(key, lockId, ttl);
                    }
                })
                .time(bench.time.source())
                .random(() -> 0.5)
                .defaults(OPTIONS)
                .build();
    }

    @Test
    @Tag("L3")
    void goOnAfterTheWatchFailed() throws Exception {
        AtomicBoolean failing = new AtomicBoolean();
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch renewed = new CountDownLatch(1);
        TimeSource sound = bench.time.source();
        TimeSource fragile = new TimeSource(
                () -> {
                    if (failing.get() && Thread.currentThread().getName().startsWith("fenceline-watch")) {
                        failures.incrementAndGet();
                        throw new OutOfMemoryError("thrown by the test");
                    }
                    return sound.ticker().nanos();
                },
                sound.wallClock(),
                sound.delays());
        bench.events.after(BackendOperation.EXTEND, renewed::countDown);
        try (Locks over = bench.builder().time(fragile).build()) {
            assertThat(over.tryAcquire(NAME)).isPresent();
            bench.time.awaitParked(1);
            failing.set(true);
            bench.time.advance(bench.nextWake());
            for (int i = 1; i <= 3; i++) {
                bench.time.awaitParked(1);
                assertThat(failures).as("failures before each pause").hasValue(i);
                assertThat(bench.nextWake()).isLessThanOrEqualTo(Duration.ofMillis(10));
                failing.set(i < 3);
                bench.time.advance(bench.nextWake());
            }
            bench.time.awaitParked(1);
            bench.time.advance(TTL.dividedBy(3));

            assertThat(renewed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void noticeASleepOfTheMachineWithinASecond() throws Exception {
        Lease lease = locks.tryAcquire(NAME, UNRENEWED).orElseThrow();
        bench.time.awaitParked(1);
        bench.time.suspend(Duration.ofHours(1));
        assertThat(bench.nextWake()).isLessThanOrEqualTo(Duration.ofSeconds(1));

        bench.time.advance(bench.nextWake());

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isNotNull();
    }

    /** The rest of the lease is counted by the wall clock too. */
    @Test
    void tellOfALossInTimeWhereASleepLeftSomeOfTheLease() throws Exception {
        Lease lease = locks.tryAcquire(NAME, UNRENEWED).orElseThrow();
        bench.time.awaitParked(1);
        bench.time.suspend(lease.remaining().minusSeconds(3));
        bench.time.advance(bench.nextWake());
        bench.time.awaitParked(1);

        bench.time.advance(lease.remaining().plusMillis(3)); // the wall clock is read in milliseconds

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void wakeForALeaseThatEndsBeforeTheOneTheyWaitFor() throws Exception {
        Lease late = locks.tryAcquire("late", UNRENEWED.withTtl(Duration.ofMillis(500)))
                .orElseThrow();
        bench.time.awaitParked(1);
        assertThat(bench.nextWake()).isEqualTo(Duration.ofMillis(475));

        Lease early = locks.tryAcquire("early", UNRENEWED.withTtl(Duration.ofMillis(100)))
                .orElseThrow();
        bench.time.awaitParked(1);
        assertThat(bench.nextWake()).isEqualTo(Duration.ofMillis(95));
        bench.time.advance(bench.nextWake());

        assertThat(early.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isNotNull();
        assertThat(late.isHeld()).isTrue();
    }

    @Test
    void endWhenTheLocksAreClosed() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        assertThat(locks.tryAcquire(NAME)).isPresent();
        bench.time.awaitParked(1);
        Set<Thread> started = new HashSet<>(Thread.getAllStackTraces().keySet());
        started.removeAll(before);
        started.removeIf(thread -> !thread.getName().startsWith("fenceline-watch"));
        assertThat(started).hasSize(1);

        locks.close();

        for (Thread watch : started) {
            watch.join(10_000);
            assertThat(watch.isAlive()).isFalse();
        }
    }

    @Test
    void cannotBeDrivenByHandAsWell() {
        assertThatIllegalStateException().isThrownBy(locks::runDueSteps).withMessageContaining("withoutThread");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void getAlongWithVirtualThreads() throws Exception {
        int[] counter = new int[1];
        try (Locks real = Locks.over(new MemoryLockBackend())) {
            ExecutorService virtual = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                done.add(virtual.submit(() -> real.call(NAME, OPTIONS.withMaxWait(Duration.ofMinutes(1)), lease -> {
                    Thread.yield();
                    return counter[0]++;
                })));
            }
            for (Future<?> each : done) {
                each.get(60, TimeUnit.SECONDS);
            }
            virtual.shutdown();
        }

        assertThat(counter[0]).isEqualTo(2000);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
