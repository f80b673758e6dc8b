package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.ReleaseOutcome;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * L2: a loss is an event, told at the deadline at the latest whatever the renewal is doing; a lost lease is never silently
 * acquired again.
 */
class LeaseLossTest {

    private static final Duration DEADLINE = TTL.minus(MARGIN);
    private static final LockOptions UNRENEWED = OPTIONS.withoutRenewal();

    private final Bench bench = Bench.polling();

    @Test
    void isToldAtTheDeadlineAndNotBefore() {
        Lease lease = bench.acquire(UNRENEWED);
        CompletableFuture<LeaseLostException> lost = lease.lost().toCompletableFuture();

        bench.pass(DEADLINE.minusNanos(1));
        assertThat(lost).isNotDone();

        bench.pass(Duration.ofNanos(1));
        assertThat(lost.join().stamp()).isEqualTo(lease.stamp());
        assertThat(lost.join().reason()).isEqualTo(LossReason.DEADLINE_PASSED);
        assertThat(bench.heard).contains(new LockEvent.Lost(lease.stamp(), LossReason.DEADLINE_PASSED));
    }

    @Test
    void isToldByTheHolderThatNoticesFirst() {
        Lease lease = bench.acquire(UNRENEWED);
        CompletableFuture<LeaseLostException> lost = lease.lost().toCompletableFuture();
        bench.time.advance(DEADLINE);

        assertThat(lease.isHeld()).isFalse();

        assertThat(lost).isCompleted();
    }

    @Test
    void isToldOnce() {
        Lease lease = bench.acquire(UNRENEWED);
        bench.time.advance(DEADLINE);

        lease.isHeld();
        lease.remaining();
        bench.locks.runDueSteps();
        bench.locks.close();

        assertThat(bench.heard)
                .filteredOn(LockEvent.Lost.class::isInstance)
                .containsExactly(new LockEvent.Lost(lease.stamp(), LossReason.DEADLINE_PASSED));
    }

    @Test
    void isToldAtOnceToWhoAsksAfterIt() {
        Lease lease = bench.acquire(UNRENEWED);
        bench.pass(DEADLINE);

        assertThat(lease.lost().toCompletableFuture()).isCompleted();
    }

    @Test
    void isNotToldOfALeaseThatWasReleased() {
        Lease lease = bench.acquire(UNRENEWED);
        CompletableFuture<LeaseLostException> lost = lease.lost().toCompletableFuture();
        lease.release();

        bench.pass(TTL);
        bench.locks.close();

        assertThat(lost).isNotDone();
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        assertThat(bench.heard).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void cannotBePretendedByOneListenerToAnother() {
        Lease lease = bench.acquire(UNRENEWED);

        lease.lost().toCompletableFuture().complete(null);

        assertThat(lease.lost().toCompletableFuture()).isNotDone();
    }

    @Test
    void carriesTheFailureOfTheLastRenewal() {
        Lease lease = bench.acquire();
        bench.faults.always(BackendOperation.EXTEND, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));

        passInSteps(DEADLINE);

        LeaseLostException lost = lease.lost().toCompletableFuture().join();
        assertThat(lost.reason()).isEqualTo(LossReason.DEADLINE_PASSED);
        assertThat(lost).hasCauseInstanceOf(BackendException.class).cause().hasMessageContaining("SERVICE_UNAVAILABLE");
    }

    @Test
    void comesAtOnceIfTheStoreNoLongerHasTheLease() {
        Lease lease = bench.acquire();
        bench.stranger.forceRelease(KEY, Holder.of("an operator"));

        bench.pass(TTL.dividedBy(3));

        assertThat(lease.lost().toCompletableFuture().join().reason()).isEqualTo(LossReason.REFUSED_BY_BACKEND);
    }

    /** Many leases at once, since the order of their ends is kept in a structure of its own. */
    @Test
    void isToldAtTheDeadlineOfEachOfManyLeases() {
        long seed = 20261121;
        Random random = new Random(seed);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Duration ttl = Duration.ofMillis(1 + random.nextInt(60_000));
            LockOptions options = UNRENEWED.withTtl(ttl).withSafetyMargin(Duration.ZERO);
            leases.add(bench.locks.tryAcquire(NAME + i, options).orElseThrow());
        }
        for (int i = 0; i < 500; i++) {
            Lease lease = leases.get(random.nextInt(leases.size()));
            if (random.nextBoolean()) {
                lease.release();
                leases.remove(lease);
            } else {
                lease.extend(Duration.ofMillis(1 + random.nextInt(60_000)));
            }
        }

        for (Duration next = bench.locks.runDueSteps();
                !next.equals(Locks.NOTHING_DUE);
                next = bench.locks.runDueSteps()) {
            assertThat(leases).as("seed %d", seed).allMatch(lease -> isTold(lease) == !lease.isHeld());
            bench.time.advance(next.minusNanos(1));
            assertThat(leases).as("seed %d", seed).allMatch(lease -> isTold(lease) == !lease.isHeld());
            bench.time.advance(Duration.ofNanos(1));
        }
        assertThat(leases).as("seed %d", seed).allMatch(LeaseLossTest::isTold);
    }

    private static boolean isTold(Lease lease) {
        return lease.lost().toCompletableFuture().isDone();
    }

    @Test
    void hasTheRenewalThatHangsToTheEndAsItsCause() throws Exception {
        bench.faults.next(BackendOperation.EXTEND, Fault.none().withDelayAfter(TTL));
        Lease lease = bench.acquire();
        bench.time.advance(TTL.dividedBy(3));
        Background<?> renewal = Background.start(() -> bench.locks.runDueSteps());
        bench.time.awaitParked(1);

        bench.time.advance(lease.remaining().dividedBy(2)); // the renewal is overdue then
        bench.locks.runDueSteps();
        bench.pass(lease.remaining());
        CompletableFuture<LeaseLostException> loss = lease.lost().toCompletableFuture();
        bench.time.advance(TTL);
        renewal.result();

        assertThat(loss)
                .isCompletedWithValueMatching(lost -> lost.getCause() instanceof BackendException overdue
                        && overdue.code() == ErrorCode.NETWORK_TIMEOUT);
    }

    @Nested
    class WhileARenewalHangs {

        private final CountDownLatch hanging = new CountDownLatch(1);
        private final CountDownLatch answer = new CountDownLatch(1);

        /** The engine runs on its own threads, on manual time. */
        @Test
        void isToldAllTheSame() throws Exception {
            Locks threaded = bench.builder().build();
            Lease lease = threaded.tryAcquire(NAME).orElseThrow();
            CompletableFuture<LeaseLostException> lost = lease.lost().toCompletableFuture();
            bench.events.before(BackendOperation.EXTEND, this::hang);
            passOnTheWatch(TTL.dividedBy(3));
            assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();

            passOnTheWatch(DEADLINE.minus(TTL.dividedBy(3)));

            assertThat(lost.get(10, TimeUnit.SECONDS).reason()).isEqualTo(LossReason.DEADLINE_PASSED);
            answer.countDown();
            threaded.close();
        }

        @Test
        void isToldInRealTimeToo() throws Exception {
            EventfulBackend hung = new EventfulBackend(new MemoryLockBackend(), false);
            hung.before(BackendOperation.EXTEND, this::hang);
            try (Locks locks = Locks.over(hung)) {
                Lease lease = locks.acquire(NAME, OPTIONS.withTtl(Duration.ofMillis(300)));

                LeaseLostException lost = lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS);

                assertThat(lost.reason()).isEqualTo(LossReason.DEADLINE_PASSED);
            } finally {
                answer.countDown();
            }
        }

        @Test
        void doesNotKeepOtherLeasesFromBeingLost() throws Exception {
            Locks threaded = bench.builder().build();
            Lease hung = threaded.tryAcquire(NAME).orElseThrow();
            Lease other = threaded.tryAcquire("another key", UNRENEWED).orElseThrow();
            bench.events.before(BackendOperation.EXTEND, this::hang);
            passOnTheWatch(TTL.dividedBy(3));
            assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();

            passOnTheWatch(DEADLINE.minus(TTL.dividedBy(3)));

            assertThat(other.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .isNotNull();
            answer.countDown();
            threaded.close();
        }

        private void passOnTheWatch(Duration duration) {
            bench.time.awaitParked(1);
            bench.time.advance(duration);
        }

        private void hang() {
            hanging.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Nested
    class IsFinal {

        @Test
        void thoughTheBackendComesBack() {
            Lease lease = bench.acquire();
            bench.faults.everything(Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            passInSteps(DEADLINE);
            long asked = bench.askedAtAll();

            bench.faults.everything(Fault.none());
            passInSteps(TTL);

            assertThat(lease.isHeld()).isFalse();
            assertThat(bench.askedAtAll()).isEqualTo(asked);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> lease.extend(TTL));
            assertThat(bench.askedAtAll()).isEqualTo(asked);
        }

        @Test
        void thoughARenewalSucceedsLater() {
            Lease lease = bench.acquire();
            bench.events.after(BackendOperation.EXTEND, () -> {
                bench.time.advance(DEADLINE);
                assertThat(lease.isHeld()).isFalse();
            });

            bench.pass(TTL.dividedBy(3));

            assertThat(lease.isHeld()).isFalse();
            assertThat(bench.locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
            assertThat(bench.isFree()).as("the late renewal is undone").isTrue();
        }

        @Test
        void thoughAnExtensionByTheHolderSucceedsLater() {
            Lease lease = bench.acquire();
            bench.events.before(BackendOperation.EXTEND, () -> {
                bench.time.advance(DEADLINE);
                assertThat(lease.isHeld()).isFalse();
            });

            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> lease.extend(Duration.ofHours(1)));

            assertThat(lease.isHeld()).isFalse();
            assertThat(bench.isFree()).as("the late extension is undone").isTrue();
        }

        @Test
        void thoughItIsReleased() {
            Lease lease = bench.acquire(UNRENEWED);
            bench.pass(DEADLINE);

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::ensureHeld);
        }
    }

    private void passInSteps(Duration duration) {
        Duration left = duration;
        while (!left.isZero()) {
            Duration due = bench.locks.runDueSteps();
            Duration step = due.compareTo(left) < 0 ? due : left;
            bench.pass(step);
            left = left.minus(step);
        }
    }
}
