package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L5, on another thread: a future gets the lease, or the attempt leaves nothing behind. */
class AsyncAcquireTest {

    private final Bench bench = Bench.polling();

    @Test
    void completesWithTheLease() throws Exception {
        Lease lease = await(bench.locks.acquireAsync(NAME));

        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).isNotNull();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void completesAfterWaiting() throws Exception {
        Lease lease = bench.acquire();
        CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);
        bench.time.awaitParked(1);
        assertThat(future).isNotDone();

        lease.close();

        assertThat(await(future).isHeld()).isTrue();
    }

    @Test
    void doesNotTakeTheThreadThatAcquiredForTheHolder() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Locks locks = Locks.builder(bench.backend)
                .time(bench.time.source())
                .asyncExecutor(thread)
                .build()) {
            await(locks.acquireAsync(NAME));

            CompletableFuture<Lease> other = locks.acquireAsync(NAME, OPTIONS.withMaxWait(Duration.ZERO));

            assertThat(other)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .withCauseInstanceOf(LockTimeoutException.class)
                    .withMessageNotContaining("itself");
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void completesWithWhatAcquireWouldThrow() {
        bench.takenByStranger(TTL);

        CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME, OPTIONS.withMaxWait(Duration.ZERO));

        assertThat(future)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(LockTimeoutException.class);
    }

    @Test
    void completesWithAnErrorOfTheBackendToo() {
        bench.events.before(BackendOperation.ACQUIRE, () -> {
            throw new NoClassDefFoundError("the driver");
        });

        CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);

        assertThat(future)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(NoClassDefFoundError.class);
    }

    @Test
    void completesWithAFailureIfTheLocksAreClosed() {
        bench.locks.close();

        assertThat(bench.locks.acquireAsync(NAME))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void doesNotInterruptTheThreadOfTheExecutorOnceItHasTheLease() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Locks locks = bench.builder().withoutThread().asyncExecutor(tasks::add).build();
        CompletableFuture<Lease> future = locks.acquireAsync(NAME);

        tasks.remove().run();

        assertThat(Thread.interrupted()).isFalse();
        assertThat(future).isCompletedWithValueMatching(Lease::isHeld);
    }

    @Test
    void runsOnTheExecutorOfTheBuilder() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Locks locks = bench.builder().withoutThread().asyncExecutor(tasks::add).build();

        CompletableFuture<Lease> future = locks.acquireAsync(NAME);
        assertThat(future).isNotDone();
        assertThat(bench.askedAtAll()).isZero();

        tasks.remove().run();
        assertThat(future).isCompleted();
    }

    @Test
    void neverStartsIfItIsCancelledBefore() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Locks locks = bench.builder().withoutThread().asyncExecutor(tasks::add).build();
        locks.acquireAsync(NAME).cancel(true);

        tasks.remove().run();

        assertThat(bench.askedAtAll()).isZero();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Nested
    class LeavesNothingBehind {

        @Test
        void ifItIsCancelledInLine() throws Exception {
            Lease lease = bench.acquire();
            CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);
            bench.time.awaitParked(1);

            future.cancel(true);
            lease.close();

            assertEverythingIsFree();
        }

        @Test
        void ifItIsCancelledBetweenAttempts() throws Exception {
            var stranger = bench.takenByStranger(TTL);
            CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);
            bench.time.awaitParked(1);

            future.cancel(true);
            bench.releasedByStranger(stranger);

            assertEverythingIsFree();
        }

        @Test
        void ifItIsCancelledDuringAnAttempt() throws Exception {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
            CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);
            bench.time.awaitParked(1);

            future.cancel(true);

            assertEverythingIsFree();
        }

        @Test
        void ifItTimesOut() throws Exception {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
            CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);
            bench.time.awaitParked(1);

            assertThat(future.orTimeout(1, TimeUnit.MILLISECONDS))
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .withCauseInstanceOf(TimeoutException.class);

            assertEverythingIsFree();
        }

        @Test
        void ifSomebodyElseCompletedIt() throws Exception {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
            CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);
            bench.time.awaitParked(1);

            future.complete(null);

            assertEverythingIsFree();
        }

        /** A driver that does not heed interrupts gets its answer after the cancellation. The store misses the first release. */
        @Test
        void ifTheGrantComesAfterTheCancellation() throws Exception {
            Queue<CompletableFuture<Lease>> futures = new ArrayDeque<>();
            bench.events.after(BackendOperation.ACQUIRE, () -> {
                futures.remove().cancel(true);
                Thread.interrupted();
            });
            Queue<Runnable> tasks = new ArrayDeque<>();
            Locks locks =
                    bench.builder().withoutThread().asyncExecutor(tasks::add).build();
            futures.add(locks.acquireAsync(NAME));

            bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

            tasks.remove().run();
            bench.time.advance(Duration.ofSeconds(1));
            locks.runDueSteps();

            assertThat(bench.isFree()).isTrue();
            assertThat(locks.tryAcquire(NAME)).isPresent();
        }

        @Test
        void wheneverTheCancellationComes() throws Exception {
            for (int round = 0; round < 500; round++) {
                CompletableFuture<Lease> future = bench.locks.acquireAsync(NAME);
                Background<Boolean> cancel = Background.start(() -> future.cancel(true));
                if (!cancel.result()) {
                    await(future).close();
                }
                assertEverythingIsFree();
            }
        }

        /** The lock is given up on the thread of the attempt, so it is waited for: in line, where a free lock is got at once. */
        private void assertEverythingIsFree() throws Exception {
            try (Lease lease = bench.locks.acquire(NAME)) {
                assertThat(lease.isHeld()).isTrue();
            }
        }
    }

    private static Lease await(CompletableFuture<Lease> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }
}
