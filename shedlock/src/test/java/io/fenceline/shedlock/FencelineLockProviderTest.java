package io.fenceline.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

/** The provider on manual time, in front of a store that others use too. */
class FencelineLockProviderTest {

    private static final String JOB = "report";
    private static final LockKey KEY = LockKey.of(JOB);
    private static final Duration NONE = Duration.ZERO;
    private static final Duration AT_MOST = Duration.ofMinutes(10);

    private final ManualTime time = new ManualTime();
    private final MemoryLockBackend store = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    private final FaultScript faults = new FaultScript();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final List<RuntimeException> releaseErrors = new CopyOnWriteArrayList<>();
    private Duration slowness = Duration.ZERO;
    private final Locks locks = Locks.builder(new ForwardingLockBackend(FaultyLockBackend.over(store, faults)) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Acquisition reply = super.acquire(request);
                    time.advance(slowness);
                    return reply;
                }
            })
            .time(time.source())
            .withoutThread()
            .listener(events::add)
            .onReleaseError((stamp, error) -> releaseErrors.add(error))
            .build();
    private final FencelineLockProvider provider = FencelineLockProvider.over(locks);

    @Test
    void lockAtMostForIsTheTtl() {
        lock(provider, AT_MOST, NONE);
        assertThat(remaining()).isEqualTo(AT_MOST);

        pass(AT_MOST.dividedBy(2));
        pass(AT_MOST.dividedBy(2).minusMillis(1));
        assertThat(isLocked()).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(isLocked()).isFalse();
    }

    @Test
    void lockAtMostForCanBeZero() {
        lock(provider, NONE, NONE);

        assertThat(remaining()).isEqualTo(Duration.ofMillis(1));
    }

    /** A lock is not refused because its time is shorter than a round trip. */
    @Test
    void aBriefLockIsTakenAndLastsToItsEnd() {
        slowness = Duration.ofMillis(300);

        SimpleLock lock = lock(provider, Duration.ofMillis(99), NONE);
        assertThat(remaining()).isEqualTo(Duration.ofMillis(99));
        assertThat(lock.extend(AT_MOST, NONE)).isEmpty();
        assertThat(provider.lease()).isPresent();
        lock.unlock();
        assertThat(remaining()).isEqualTo(Duration.ofMillis(99));
        assertThat(provider.lease()).isEmpty();
    }

    @Test
    void aLockThatIsNotBriefIsFreedByItsUnlock() {
        lock(provider, Duration.ofMillis(100), NONE).unlock();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void lockAtMostForIsNotLongerThanTheLongestTtl() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(provider, Duration.ofDays(366), NONE))
                .withMessageContaining("ttl");
    }

    @Test
    void lockAtLeastForKeepsTheLockAfterItsUnlock() {
        SimpleLock lock = lock(provider, AT_MOST, Duration.ofSeconds(60));
        pass(Duration.ofSeconds(10));

        lock.unlock();

        assertThat(remaining()).isEqualTo(Duration.ofSeconds(50));
        assertThat(provider.lock(configuration(AT_MOST, NONE))).isEmpty();
    }

    @Test
    void aNegativeLockAtLeastForIsNone() {
        lock(provider, AT_MOST, Duration.ofSeconds(-1)).unlock();
        lock(provider, AT_MOST, NONE)
                .extend(AT_MOST, Duration.ofSeconds(-1))
                .orElseThrow()
                .unlock();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void unlockFreesALockWhoseLockAtLeastForIsOver() {
        SimpleLock lock = lock(provider, AT_MOST, Duration.ofSeconds(60));
        pass(Duration.ofSeconds(60));

        lock.unlock();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void anExtensionCountsFromNowAndItsLockAtLeastForTakesThePlaceOfTheFirst() {
        SimpleLock first = lock(provider, AT_MOST, Duration.ofSeconds(60));
        pass(Duration.ofSeconds(10));
        SimpleLock longer =
                first.extend(AT_MOST.multipliedBy(2), Duration.ofSeconds(100)).orElseThrow();
        assertThat(remaining()).isEqualTo(AT_MOST.multipliedBy(2));
        pass(Duration.ofSeconds(10));
        longer.unlock();
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(90));
        pass(Duration.ofSeconds(90));

        SimpleLock over = lock(provider, AT_MOST, NONE)
                .extend(AT_MOST, Duration.ofSeconds(5))
                .orElseThrow();
        pass(Duration.ofSeconds(6));
        over.unlock();
        assertThat(isLocked()).isFalse();

        lock(provider, AT_MOST, Duration.ofSeconds(60))
                .extend(AT_MOST, NONE)
                .orElseThrow()
                .unlock();
        assertThat(isLocked()).isFalse();
    }

    @Test
    void anExtendedLockIsDeadAndItsLeaseIsNot() {
        SimpleLock first = lock(provider, AT_MOST, NONE);
        first.extend(AT_MOST, NONE);

        assertThatIllegalStateException().isThrownBy(first::unlock);
        assertThatIllegalStateException().isThrownBy(() -> first.extend(AT_MOST, NONE));

        assertThat(isLocked()).isTrue();
    }

    @Test
    void aLockIsUnlockedOnce() {
        SimpleLock lock = lock(provider, AT_MOST, NONE);
        lock.unlock();

        assertThatIllegalStateException().isThrownBy(lock::unlock).withMessageContaining(JOB);
        assertThatIllegalStateException().isThrownBy(() -> lock.extend(AT_MOST, NONE));
    }

    /** Nothing has told us before. */
    @Test
    void aLockThatTheStoreHasNoMoreIsNotExtended() {
        SimpleLock lock = lock(provider, AT_MOST, NONE);
        store.forceRelease(KEY, Holder.of("an operator"));

        assertThat(lock.extend(AT_MOST, NONE)).isEmpty();
    }

    @Test
    void aLockCanBeExtendedUntilASecondBeforeItsEnd() {
        SimpleLock lock = lock(provider, AT_MOST, NONE);
        pass(AT_MOST.minusMillis(1001));
        assertThat(lock.extend(AT_MOST, NONE)).isPresent();
    }

    @Test
    void aLockThatHasEndedIsNotExtendedAndItsUnlockLeavesTheNextHolderAlone() {
        SimpleLock late = lock(provider, AT_MOST, NONE);
        pass(AT_MOST);
        lock(anotherNode(), AT_MOST, NONE);

        assertThat(late.extend(AT_MOST, NONE)).isEmpty();
        late.unlock();

        assertThat(isLocked()).isTrue();
        assertThat(events).anyMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void aTakenLockIsAnEmptyAnswerAndAFailureOfTheStoreIsThrown() {
        lock(anotherNode(), AT_MOST, NONE);
        assertThat(provider.lock(configuration(AT_MOST, NONE))).isEmpty();

        faults.always(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.AUTH_FAILED));
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> provider.lock(configuration(AT_MOST, NONE)));
    }

    /** What unlock throws takes the place of the job's own outcome. */
    @Test
    void aFailedUnlockDoesNotHideTheOutcomeOfTheJob() {
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
        IllegalStateException ownFailure = new IllegalStateException("the job's own");

        assertThatIllegalStateException()
                .isThrownBy(() -> executor.executeWithLock(
                        (Runnable) () -> {
                            faults.everything(Fault.lostRequest());
                            throw ownFailure;
                        },
                        configuration(AT_MOST, NONE)))
                .isSameAs(ownFailure);

        assertThat(releaseErrors).hasSize(1);
    }

    @Test
    void aFailedUnlockOfAnExtendedLockIsToldToListeners() {
        SimpleLock lock = lock(provider, AT_MOST, NONE).extend(AT_MOST, AT_MOST).orElseThrow();
        faults.everything(Fault.lostRequest());

        lock.unlock();

        assertThat(events).anyMatch(LockEvent.ReleaseFailed.class::isInstance);
    }

    @Test
    void aRenewingLockOutlivesLockAtMostForAndACrashByNoMore() {
        SimpleLock lock = lock(provider.renewing(), Duration.ofSeconds(9), NONE);
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(3));
        }
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(9));

        time.advance(Duration.ofSeconds(9)); // nobody renews
        assertThat(isLocked()).isFalse();
        lock.unlock();
    }

    @Test
    void aRenewingLockIsNeverBrief() {
        lock(provider.renewing(), Duration.ofMillis(90), NONE);
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofMillis(30));
        }

        assertThat(isLocked()).isTrue();
    }

    @Test
    void theJobOfARenewingLockIsInterruptedWhenItsLeaseIsLost() {
        SimpleLock lock = lock(provider.renewing(), Duration.ofSeconds(9), NONE);
        store.forceRelease(KEY, Holder.of("an operator"));

        pass(Duration.ofSeconds(3));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        lock.unlock();
        assertThat(Thread.interrupted()).as("cleared").isFalse();
    }

    @Test
    void aThreadIsNotInterruptedForAJobThatHasEnded() {
        lock(provider.renewing(), Duration.ofSeconds(9), NONE).unlock();
        lock(provider, "next", AT_MOST, NONE);

        locks.close();
        pass(Duration.ofSeconds(9));

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aJobWithoutRenewalIsNotInterrupted() {
        lock(provider, Duration.ofSeconds(9), NONE);
        pass(Duration.ofSeconds(9));

        assertThat(events).anyMatch(LockEvent.Lost.class::isInstance);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void theJobFindsItsLease() {
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
        assertThat(provider.lease()).isEmpty();

        executor.executeWithLock(
                (Runnable) () -> {
                    Lease outer = provider.lease().orElseThrow();
                    assertThat(outer.key()).isEqualTo(KEY);
                    assertThat(outer.token()).isEqualTo(FencingToken.of(1));
                    LockExtender.extendActiveLock(AT_MOST, NONE);
                    assertThat(provider.lease()).containsSame(outer);
                    SimpleLock inner = lock(provider, "inner", AT_MOST, NONE);
                    assertThat(provider.lease().orElseThrow().key()).isEqualTo(LockKey.of("inner"));
                    inner.unlock();
                    assertThat(provider.lease()).containsSame(outer);
                },
                configuration(AT_MOST, NONE));

        assertThat(provider.lease()).isEmpty();
    }

    @Test
    void aLostLeaseIsStillTheJobsOwn() {
        lock(provider, AT_MOST, NONE);
        Lease own = provider.lease().orElseThrow();
        pass(AT_MOST);

        assertThat(provider.lease()).containsSame(own);
        assertThat(own.isHeld()).isFalse();
    }

    @Test
    void aLockThatAnotherThreadUnlockedIsNoLongerHere() throws InterruptedException {
        SimpleLock lock = lock(provider.renewing(), AT_MOST, NONE);
        SimpleLock here = lock(provider, "here", AT_MOST, NONE);
        Thread other = new Thread(here::unlock);
        other.start();
        other.join();

        assertThat(provider.lease()).isEmpty();
        lock.unlock();
    }

    /** The interrupt of a lost lease is cleared for the job's thread only. */
    @Test
    void anUnlockByAnotherThreadKeepsThatThreadsInterrupt() throws InterruptedException {
        SimpleLock lock = lock(provider.renewing(), Duration.ofSeconds(9), NONE);
        locks.close();
        assertThat(Thread.interrupted()).as("of the job").isTrue();
        AtomicBoolean kept = new AtomicBoolean();
        Thread other = new Thread(() -> {
            Thread.currentThread().interrupt();
            lock.unlock();
            kept.set(Thread.interrupted());
        });
        other.start();
        other.join();

        assertThat(kept).isTrue();
    }

    private FencelineLockProvider anotherNode() {
        return FencelineLockProvider.over(
                Locks.builder(store).time(time.source()).withoutThread().build());
    }

    private void pass(Duration duration) {
        time.advance(duration);
        locks.runDueSteps();
    }

    private boolean isLocked() {
        return store.isLocked(KEY);
    }

    private Duration remaining() {
        return store.lookup(KEY).map(LockRecord::remaining).orElseThrow();
    }

    private static SimpleLock lock(FencelineLockProvider provider, Duration atMost, Duration atLeast) {
        return lock(provider, JOB, atMost, atLeast);
    }

    private static SimpleLock lock(FencelineLockProvider provider, String name, Duration atMost, Duration atLeast) {
        return provider.lock(new LockConfiguration(Instant.EPOCH, name, atMost, atLeast))
                .orElseThrow();
    }

    private static LockConfiguration configuration(Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.EPOCH, JOB, atMost, atLeast);
    }
}
