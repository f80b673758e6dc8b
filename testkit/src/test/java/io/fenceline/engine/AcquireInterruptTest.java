package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** L5: a caller that is interrupted is let go, and what its attempt may have left behind is undone. */
class AcquireInterruptTest extends AcquireCase {

    @Test
    void beforeTheCallIsPassedOnWithoutAnAttempt() {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> bench.locks.acquire(NAME));

        assertThat(bench.askedAtAll()).isZero();
    }

    @Test
    void duringAPauseEndsTheWait() throws Exception {
        Grant stranger = bench.takenByStranger(TTL);
        Background<Lease> waiter = waitFor(ONE_SECOND);
        bench.time.awaitParked(1);

        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        bench.releasedByStranger(stranger);
        bench.time.advance(TTL);
        assertThat(bench.isFree()).isTrue();
        assertThat(bench.locks.tryAcquire(NAME)).as("the turn was passed on").isPresent();
    }

    @Test
    void duringAnAttemptUndoesIt() throws Exception {
        bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
        watchReleases();
        Background<Lease> waiter = waitFor(OPTIONS);
        bench.time.awaitParked(1);

        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void duringTheOnlyAttemptUndoesIt() throws Exception {
        bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
        watchReleases();
        Background<Lease> waiter = waitFor(NO_WAIT);
        bench.time.awaitParked(1);

        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void duringAnAttemptWithoutWaitingUndoesItAndStaysSet() throws Exception {
        bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
        watchReleases();
        Background<Boolean> attempt = Background.start(() -> {
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> bench.locks.tryAcquire(NAME))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
            return Thread.currentThread().isInterrupted();
        });
        bench.time.awaitParked(1);

        attempt.interrupt();

        assertThat(attempt.result()).isTrue();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void thatComesWithTheGrantUndoesIt() {
        bench.events.after(
                BackendOperation.ACQUIRE, () -> Thread.currentThread().interrupt());
        watchReleases();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> bench.locks.acquire(NAME));

        assertThat(bench.isFree()).isTrue();
        assertThat(bench.locks.tryAcquire(NAME)).as("the turn was passed on").isPresent();
    }

    @Test
    @Tag("L5")
    void thatComesWithTheGrantUndoesItAsSoonAsTheStoreAnswersAgain() {
        AtomicInteger told = new AtomicInteger();
        Locks locks = bench.builder()
                .onReleaseError((stamp, error) -> told.incrementAndGet())
                .withoutThread()
                .build();
        bench.events.after(
                BackendOperation.ACQUIRE, () -> Thread.currentThread().interrupt());
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> locks.acquire(NAME));
        assertThat(bench.isFree()).isFalse();
        for (int i = 0; i < 2; i++) {
            bench.time.advance(Duration.ofSeconds(1));
            locks.runDueSteps();
        }

        assertThat(bench.isFree()).isTrue();
        assertThat(told).hasValue(1);
    }

    /** The thread did not wait for the undo, and is told nothing of a lock that it does not know of. */
    @Test
    void thatComesWithTheGrantLeavesNoLockOfThisThread() {
        Thread waiter = Thread.currentThread();
        CompletableFuture<Void> told = new CompletableFuture<>();
        bench.events.after(BackendOperation.ACQUIRE, waiter::interrupt);
        bench.events.before(BackendOperation.RELEASE, () -> {
            bench.time.awaitParked(2); // the waiter and the thread that watches leases
            waiter.interrupt();
            told.join();
        });
        try (Locks locks = bench.builder().build()) {
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> locks.acquire(NAME));
            assertThat(Thread.interrupted()).isTrue();

            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> locks.acquire(NAME, NO_WAIT))
                    .withMessageNotContaining("this thread itself acquired it");
            told.complete(null);
        }
    }

    private void watchReleases() {
        bench.events.before(
                BackendOperation.RELEASE,
                () -> interruptedRelease.set(Thread.currentThread().isInterrupted()));
    }
}
