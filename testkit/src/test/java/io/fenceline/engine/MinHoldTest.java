package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.Lease;
import io.fenceline.LeasedLock;
import io.fenceline.LockOptions;
import io.fenceline.ReleaseOutcome;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L10: a lock is kept for its minimum after the release, and its holder is done with it at once. */
class MinHoldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final LockOptions AT_LEAST_A_MINUTE = OPTIONS.withMinHold(MINUTE);

    private final Bench bench = Bench.polling();

    @Test
    void keepsTheLockForTheRest() {
        Lease lease = bench.acquire(AT_LEAST_A_MINUTE);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(bench.remainingInStore()).isEqualTo(MINUTE.minusSeconds(1));
        assertThat(bench.stranger.lookup(KEY).orElseThrow().raw().lockId())
                .isEqualTo(lease.grant().lockId());
        bench.time.advance(MINUTE.minusSeconds(1));
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void endsALeaseSoonerWhoseTtlIsLongerThanTheRest() {
        Lease lease = bench.acquire(OPTIONS.withMinHold(Duration.ofSeconds(5)));

        lease.close();

        assertThat(bench.remainingInStore()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void countsFromTheReplySoThatTheStoreKeepsItAtLeastThatLong() {
        bench.events.after(BackendOperation.ACQUIRE, () -> bench.time.advance(Duration.ofSeconds(2)));
        Lease lease = bench.acquire(AT_LEAST_A_MINUTE);

        lease.close();

        assertThat(bench.remainingInStore()).isEqualTo(MINUTE);
    }

    @Test
    void freesTheLockAfterTheMinimum() {
        Lease lease = bench.acquire(AT_LEAST_A_MINUTE);
        for (int i = 0; i < 6; i++) {
            bench.pass(Duration.ofSeconds(10));
        }

        lease.close();

        assertThat(bench.isFree()).isTrue();
        assertThat(bench.asked(BackendOperation.RELEASE_AFTER)).isZero();
    }

    @Test
    void isOverForItsHolderAtOnceAndNotLost() {
        Lease lease = bench.acquire(AT_LEAST_A_MINUTE);
        bench.events.before(
                BackendOperation.RELEASE_AFTER, () -> assertThat(lease.isHeld()).isFalse());

        lease.close();
        for (int i = 0; i < 10; i++) {
            bench.pass(Duration.ofSeconds(10));
        }

        assertThat(bench.asked(BackendOperation.EXTEND)).as("renewals").isZero();
        assertThat(lease.remaining()).isZero();
        assertThatIllegalStateException().isThrownBy(lease::ensureHeld).withMessageContaining("was released");
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        assertThat(bench.heard)
                .endsWith(new LockEvent.Released(lease.stamp(), ReleaseOutcome.RELEASED, MINUTE, false))
                .noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void keepsTheLockFromThisProcessToo() throws Exception {
        Bench signalling = Bench.signalling();
        Lease lease = signalling.acquire(AT_LEAST_A_MINUTE);
        LockOptions patient = OPTIONS.withMaxWait(Duration.ofMinutes(2));
        Background<Lease> waiter = Background.start(() -> signalling.locks.acquire(NAME, patient));
        signalling.time.awaitParked(1);

        lease.close();

        assertThat(signalling.asked(BackendOperation.SUCCEED)).isZero();
        assertThat(signalling.remainingInStore()).isEqualTo(MINUTE);
        assertThat(signalling.locks.tryAcquire(NAME)).isEmpty();
        signalling.time.advance(MINUTE);
        assertThat(waiter.result().isHeld()).isTrue();
    }

    @Test
    void appliesToBodiesAndToLocksOfTheJdk() throws Exception {
        bench.locks.call(NAME, AT_LEAST_A_MINUTE, lease -> "done");
        assertThat(bench.remainingInStore()).isEqualTo(MINUTE);
        bench.time.advance(MINUTE);

        LeasedLock lock = bench.locks.asLock(NAME, AT_LEAST_A_MINUTE);
        lock.lock();
        lock.unlock();
        assertThat(bench.remainingInStore()).isEqualTo(MINUTE);
    }

    @Test
    void canBeReleasedAgainAfterAFailureForWhatIsLeftThen() {
        Lease lease = bench.acquire(AT_LEAST_A_MINUTE);
        bench.faults.next(BackendOperation.RELEASE_AFTER, Fault.lostRequest());
        assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);
        bench.time.advance(Duration.ofSeconds(10));

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);

        assertThat(bench.remainingInStore()).isEqualTo(MINUTE.minusSeconds(10));
    }

    @Test
    void isNoPromiseForALostLease() {
        Lease lease = bench.acquire(AT_LEAST_A_MINUTE.withoutRenewal());
        bench.pass(TTL);

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);

        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void isNotForAnAttemptThatIsUndone() {
        bench.events.after(
                BackendOperation.ACQUIRE, () -> Thread.currentThread().interrupt());

        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> bench.locks.acquire(NAME, AT_LEAST_A_MINUTE));

        assertThat(bench.isFree()).isTrue();
    }

    /** The extension arrives after the release and would keep the lock for its ttl. */
    @Test
    void isNotProlongedByARenewalThatWasUnderWay() {
        Lease lease = bench.acquire(OPTIONS.withMinHold(Duration.ofSeconds(12)));
        bench.events.before(BackendOperation.EXTEND, lease::close);

        bench.pass(TTL.dividedBy(3));

        assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
        assertThat(bench.remainingInStore()).isEqualTo(Duration.ofSeconds(2));
        assertThat(bench.heard).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Nested
    class OfOneRelease {

        @Test
        void keepsTheLock() {
            Lease lease = bench.acquire();

            assertThat(lease.releaseAfter(MINUTE)).isEqualTo(ReleaseOutcome.RELEASED);

            assertThat(lease.isHeld()).isFalse();
            assertThat(bench.remainingInStore()).isEqualTo(MINUTE);
        }

        @Test
        void takesThePlaceOfTheOptions() {
            Lease lease = bench.acquire(AT_LEAST_A_MINUTE);

            lease.releaseAfter(Duration.ZERO);

            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void saysThatTheLeaseHadEnded() {
            Lease lease = bench.acquire();
            bench.stranger.forceRelease(KEY, io.fenceline.Holder.of("an operator"));

            assertThat(lease.releaseAfter(MINUTE)).isEqualTo(ReleaseOutcome.ALREADY_ENDED);

            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void refusesABadRestAndKeepsTheLease() {
            Lease lease = bench.acquire();

            assertThatIllegalArgumentException().isThrownBy(() -> lease.releaseAfter(Duration.ofMillis(-1)));
            assertThatIllegalArgumentException().isThrownBy(() -> lease.releaseAfter(LockOptions.MAX_TTL.plusNanos(1)));

            assertThat(lease.isHeld()).isTrue();
        }
    }
}
