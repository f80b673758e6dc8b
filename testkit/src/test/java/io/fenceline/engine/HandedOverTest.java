package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.CountingLockBackend;
import io.fenceline.testkit.Fault;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Waiting for a lock that the store hands over. */
class HandedOverTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final LockOptions PATIENT = OPTIONS.withMaxWait(HOUR);

    private final ManualTime time = new ManualTime();
    private final MemoryLockBackend store = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    private final HandingOverBackend queue = new HandingOverBackend(store);
    private final FaultScript faults = new FaultScript();
    private final CountingLockBackend backend =
            CountingLockBackend.over(FaultyLockBackend.over(queue, faults, time.source()));
    private final Locks locks = newLocks();
    private final Lease previous =
            newLocks().tryAcquire(NAME, OPTIONS.withTtl(HOUR)).orElseThrow();

    @Test
    void endsWithoutAnotherAttempt() throws Exception {
        Background<Lease> waiter = waitFor(PATIENT);
        time.awaitParked(1);
        Grant grant = queue.handOver(previous.grant());

        assertThat(queue.tell(grant)).isTrue();

        Lease lease = waiter.result();
        assertThat(lease.grant()).isEqualTo(grant);
        assertThat(lease.isHeld()).isTrue();
        assertThat(asked()).as("one of each").isEqualTo(2);
        assertThat(queue.listeners()).isZero();
    }

    @Test
    void countsTheLeaseFromTheLastRefusal() throws Exception {
        Background<Lease> waiter = waitFor(PATIENT);
        time.awaitParked(1);
        time.advance(Duration.ofMillis(400));
        Grant grant = queue.handOver(previous.grant());
        time.advance(Duration.ofMillis(300));

        queue.tell(grant);

        assertThat(waiter.result().remaining())
                .isEqualTo(TTL.minus(MARGIN).minusMillis(700))
                .isLessThan(store.lookup(grant.lockId()).orElseThrow().remaining());
    }

    /** The lock can be handed over as soon as the store has refused the attempt, before the waiter knows that. */
    @Test
    void countsTheLeaseFromWhenTheRefusedAttemptWasMade() throws Exception {
        faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(2)));
        Background<Lease> waiter = waitFor(PATIENT);
        time.awaitParked(1);
        Grant grant = queue.handOver(previous.grant());
        time.advance(Duration.ofSeconds(2));
        time.awaitParked(1);

        queue.tell(grant);

        assertThat(waiter.result().remaining())
                .isEqualTo(TTL.minus(MARGIN).minusSeconds(2))
                .isLessThan(store.lookup(grant.lockId()).orElseThrow().remaining());
    }

    /** An attempt that failed says nothing of when the lock was handed over. */
    @Test
    void countsTheLeaseFromTheLastRefusalThoughAnAttemptFailedSince() throws Exception {
        Background<Lease> waiter = waitFor(PATIENT);
        time.awaitParked(1);
        Grant grant = queue.handOver(previous.grant());
        faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());
        time.advance(OPTIONS.retry().maxDelay());
        time.awaitParked(1);

        queue.tell(grant);

        assertThat(waiter.result().remaining())
                .isEqualTo(TTL.minus(MARGIN).minus(OPTIONS.retry().maxDelay()));
    }

    @Test
    void isNeverOldSinceTheWaiterAsksAgainWithinAThirdOfItsTtl() throws Exception {
        waitFor(PATIENT.withTtl(Duration.ofMillis(900)));
        time.awaitParked(1);

        assertThat(time.untilNextWake()).contains(Duration.ofMillis(300));
    }

    @Test
    void thatWasNotHeardOfIsFoundByThePoll() throws Exception {
        Background<Lease> waiter = waitFor(PATIENT);
        time.awaitParked(1);
        Grant grant = queue.handOver(previous.grant());

        time.advance(OPTIONS.retry().maxDelay());

        Lease lease = waiter.result();
        assertThat(lease.grant()).isEqualTo(grant);
        assertThat(lease.remaining())
                .isEqualTo(TTL.minus(MARGIN).minus(OPTIONS.retry().maxDelay()));
    }

    @Test
    void thatIsNoMoreWantedIsUndone() throws Exception {
        Background<Lease> waiter = waitFor(OPTIONS.withMaxWait(Duration.ofMillis(500)));
        time.awaitParked(1);
        faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());
        queue.handOver(previous.grant());

        time.advance(Duration.ofMillis(500));

        assertThat(waiter.failure()).isNotInstanceOf(LockTimeoutException.class);
        assertThat(store.isLocked(previous.key())).isFalse();
        assertThat(queue.listeners()).isZero();
    }

    @Test
    void leavesTheQueueWithTheWaiter() throws Exception {
        Background<Lease> waiter = waitFor(OPTIONS.withMaxWait(Duration.ofMillis(500)));
        time.awaitParked(1);
        assertThat(queue.waiting()).isOne();

        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        assertThat(queue.waiting()).isZero();
        assertThat(queue.listeners()).isZero();
    }

    @Test
    void thatIsToldTooLateIsUndoneAndAskedForAgain() throws Exception {
        Background<Lease> waiter = waitFor(PATIENT.withRetry(OPTIONS.retry().withMaxDelay(HOUR)));
        time.awaitParked(1);
        Grant tooLate = queue.handOver(previous.grant());
        faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());
        time.advance(TTL.minus(MARGIN));
        time.awaitParked(1);

        queue.tell(tooLate);

        Lease lease = waiter.result();
        assertThat(lease.grant().lockId()).isNotEqualTo(tooLate.lockId());
        assertThat(lease.token().isNewerThan(tooLate.token())).isTrue();
    }

    /** The late grant was given up; a signal that comes after it must not bring it back. */
    @Test
    void thatWasToldTooLateIsNeverTakenForALaterOne() throws Exception {
        Background<Lease> waiter = waitFor(PATIENT.withRetry(OPTIONS.retry().withMaxDelay(HOUR)));
        time.awaitParked(1);
        Grant tooLate = queue.handOver(previous.grant());
        faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());
        time.advance(TTL);
        time.awaitParked(1);
        Lease other = newLocks().tryAcquire(NAME, PATIENT).orElseThrow();
        queue.tell(tooLate);
        time.awaitParked(1);

        queue.tellReleased();
        time.awaitParked(1);
        assertThat(store.lookup(other.grant().lockId())).isPresent();
        Grant grant = queue.handOver(other.grant());

        assertThat(queue.tell(grant)).as("the waiter listens under its new id").isTrue();
        assertThat(waiter.result().grant()).isEqualTo(grant);
    }

    /** A process that stands still for long may be refused before it reads of a grant that has ended by then. */
    @Test
    @Tag("L1")
    void thatMayHaveEndedBeforeARefusalIsNotHeld() throws Exception {
        Background<Lease> waiter = waitFor(PATIENT);
        time.awaitParked(1);
        Grant ended = queue.handOver(previous.grant());
        faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());
        time.advance(TTL);
        time.awaitParked(1);
        Lease other = newLocks().tryAcquire(NAME, OPTIONS.withTtl(HOUR)).orElseThrow();
        time.advance(OPTIONS.retry().maxDelay());
        time.awaitParked(1);

        queue.tell(ended);

        time.awaitParked(1);
        time.advance(OPTIONS.retry().maxDelay());
        time.awaitParked(1);
        Grant grant = queue.handOver(other.grant());
        assertThat(queue.tell(grant)).isTrue();
        assertThat(waiter.result().grant()).isEqualTo(grant);
    }

    private Locks newLocks() {
        return Locks.builder(backend)
                .time(time.source())
                .random(() -> 0.5)
                .withoutThread()
                .build();
    }

    private Background<Lease> waitFor(LockOptions options) {
        return Background.start(() -> locks.acquire(NAME, options));
    }

    private long asked() {
        return backend.count(BackendOperation.ACQUIRE);
    }
}
