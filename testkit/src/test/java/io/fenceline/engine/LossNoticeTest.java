package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.time.Ticker;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * L2: a loss reaches the body that works under the lease, all listeners and dependents, and the holders and waiters of locks
 * that are closed.
 */
class LossNoticeTest {

    private static final Duration DEADLINE = TTL.minus(MARGIN);
    private static final LockOptions UNRENEWED = OPTIONS.withoutRenewal();

    private final Bench bench = Bench.polling();

    /** Returns locks that are closed while the reply to their first attempt becomes a lease. */
    private Locks closedAtTheGrant() {
        TimeSource time = bench.time.source();
        AtomicReference<Runnable> atReading = new AtomicReference<>(() -> {});
        Ticker ticker = () -> {
            atReading.getAndSet(() -> {}).run();
            return time.ticker().nanos();
        };
        Locks locks = bench.builder()
                .time(new TimeSource(ticker, time.wallClock(), time.delays()))
                .withoutThread()
                .build();
        bench.events.after(BackendOperation.ACQUIRE, () -> atReading.set(locks::close));
        return locks;
    }

    @Nested
    class InterruptsTheBody {

        private final AtomicReference<Thread> body = new AtomicReference<>();

        @Test
        void ifTheOptionsSaySo() throws Exception {
            Background<Boolean> run = Background.start(() -> {
                assertThatExceptionOfType(LeaseLostException.class)
                        .isThrownBy(() -> bench.locks.run(NAME, UNRENEWED.withInterruptOnLoss(), this::work))
                        .satisfies(lost -> assertThat(lost.getSuppressed())
                                .singleElement()
                                .isInstanceOf(InterruptedException.class));
                return Thread.currentThread().isInterrupted();
            });
            bench.time.awaitParked(1);

            bench.pass(DEADLINE);

            assertThat(run.result()).as("interrupt status left behind").isFalse();
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void notOtherwise() throws Exception {
            Background<Throwable> run = Background.start(() -> {
                try {
                    return bench.locks.call(NAME, UNRENEWED, this::work);
                } catch (LeaseLostException e) {
                    return e;
                }
            });
            bench.time.awaitParked(1);

            bench.pass(DEADLINE);
            assertThat(body.get().isInterrupted()).isFalse();
            bench.time.wake(body.get());

            assertThat(run.result()).isInstanceOf(LeaseLostException.class);
        }

        @Test
        void notAfterItReturned() throws Exception {
            bench.locks.call(NAME, UNRENEWED.withInterruptOnLoss(), lease -> lease);

            bench.pass(DEADLINE);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }

        @Test
        void alsoIfTheLossCameBeforeTheBodyBegan() {
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> closedAtTheGrant().run(NAME, OPTIONS.withInterruptOnLoss(), this::work));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }

        private Throwable work(Lease lease) throws InterruptedException {
            body.set(Thread.currentThread());
            bench.time.park(Duration.ofDays(1).toNanos());
            return null;
        }
    }

    @Nested
    class IsToldToAllThough {

        @Test
        void aDependentThrows() {
            Lease lease = bench.acquire(UNRENEWED);
            List<String> told = new ArrayList<>();
            lease.lost().thenAccept(lost -> {
                throw new IllegalStateException("a dependent failed");
            });
            lease.lost().thenAccept(lost -> told.add("second"));

            bench.pass(DEADLINE);

            assertThat(told).containsExactly("second");
        }

        @Test
        void aListenerThrows() {
            Locks locks = bench.builder()
                    .withoutThread()
                    .listener(event -> {
                        throw new IllegalStateException("a listener failed");
                    })
                    .build();
            Lease first = locks.tryAcquire("first", UNRENEWED).orElseThrow();
            Lease second = locks.tryAcquire("second", UNRENEWED).orElseThrow();

            bench.time.advance(DEADLINE);
            locks.runDueSteps();

            assertThat(List.of(first, second)).allMatch(LossNoticeTest::isTold);
        }

        /** A listener whose metrics library is missing fails with an error, not with an exception. */
        @Test
        void aListenerThrowsAnError() {
            Locks locks = bench.builder()
                    .withoutThread()
                    .listener(event -> {
                        throw new NoClassDefFoundError("metrics");
                    })
                    .build();
            Lease first = locks.tryAcquire("first", UNRENEWED).orElseThrow();
            Lease second = locks.tryAcquire("second", UNRENEWED).orElseThrow();

            bench.time.advance(DEADLINE);
            locks.runDueSteps();

            assertThat(List.of(first, second)).allMatch(LossNoticeTest::isTold);
        }
    }

    @Nested
    class ByClosingTheLocks {

        @Test
        void isToldForEveryLeaseThatIsHeld() {
            Lease held = bench.acquire();
            Lease released = bench.locks.tryAcquire("another key").orElseThrow();
            released.release();

            bench.locks.close();

            assertThat(held.isHeld()).isFalse();
            assertThat(held.lost().toCompletableFuture().join().reason()).isEqualTo(LossReason.LOCKS_CLOSED);
            assertThat(released.lost().toCompletableFuture()).isNotDone();
            assertThat(bench.locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
        }

        @Test
        void leavesTheStoreToTheHolder() {
            Lease held = bench.acquire();

            bench.locks.close();
            assertThat(bench.isFree()).isFalse();

            held.close();
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void refusesFurtherAcquisitions() {
            bench.locks.close();
            bench.locks.close();

            assertThatIllegalStateException().isThrownBy(() -> bench.locks.acquire(NAME));
            assertThatIllegalStateException().isThrownBy(() -> bench.locks.tryAcquire(NAME));
            assertThatIllegalStateException().isThrownBy(() -> bench.locks.call(NAME, lease -> ""));
            assertThat(bench.askedAtAll()).isZero();
        }

        @Test
        void isToldForALeaseThatIsGrantedMeanwhile() {
            Lease lease = closedAtTheGrant().tryAcquire(NAME).orElseThrow();

            assertThat(lease.isHeld()).isFalse();
            assertThat(lease.lost().toCompletableFuture()).isCompleted();
        }

        @Test
        void isToldForALeaseThatIsRenewedMeanwhile() {
            Lease lease = bench.acquire();
            bench.events.after(BackendOperation.EXTEND, () -> bench.locks.close());

            bench.pass(TTL.dividedBy(3));

            assertThat(lease.isHeld()).isFalse();
            assertThat(lease.lost().toCompletableFuture()).isCompleted();
        }

        /** Between the moment at which its step is due and the step, nobody watches a lease. */
        @Test
        void isToldForALeaseWhoseStepIsDueMeanwhile() {
            Lease first = bench.acquire();
            Lease second = bench.locks.tryAcquire("another key").orElseThrow();
            bench.events.after(BackendOperation.EXTEND, () -> bench.locks.close());

            bench.pass(TTL.dividedBy(3));

            assertThat(List.of(first, second)).allMatch(LossNoticeTest::isTold).noneMatch(Lease::isHeld);
        }

        @Test
        void endsTheWaitOfThoseInLine() throws Exception {
            bench.acquire(UNRENEWED);
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME));
            bench.time.awaitParked(1);

            bench.locks.close();

            assertThat(waiter.failure()).isInstanceOf(IllegalStateException.class);
        }

        @Test
        void endsTheWaitOfOneThatAsks() throws Exception {
            bench.takenByStranger(TTL);
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME));
            bench.time.awaitParked(1);

            bench.locks.close();
            bench.time.advance(TTL);

            assertThat(waiter.failure()).isInstanceOf(IllegalStateException.class);
        }
    }

    private static boolean isTold(Lease lease) {
        return lease.lost().toCompletableFuture().isDone();
    }
}
