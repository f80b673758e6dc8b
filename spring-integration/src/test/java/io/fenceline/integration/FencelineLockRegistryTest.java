package io.fenceline.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import io.fenceline.testkit.ManualTime;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The registry on manual time, on whichever Spring Integration is there. */
class FencelineLockRegistryTest {

    private static final String KEY = "group:7";
    private static final Duration TTL = Duration.ofSeconds(30);

    private final ManualTime time = new ManualTime();
    private final MemoryStore data = new MemoryStore(TokenMode.COUNTER, time, time);
    private final MemoryLockBackend store = new MemoryLockBackend(data);
    private final FaultScript faults = new FaultScript();
    private final Locks locks = locks();
    private final FencelineLockRegistry registry =
            FencelineLockRegistry.over(locks, LockOptions.defaults().withTtl(TTL));
    private final FencelineLockRegistry otherNode = FencelineLockRegistry.over(locks(), LockOptions.defaults());
    private final Lock lock = registry.obtain(KEY);

    private Locks locks() {
        return Locks.builder(FaultyLockBackend.over(new MemoryLockBackend(data), faults))
                .time(time.source())
                .withoutThread()
                .build();
    }

    @Test
    void nodesExcludeEachOther() throws Exception {
        assertThat(lock.tryLock()).isTrue();

        assertThat(otherNode.obtain(KEY).tryLock()).isFalse();
        assertThat(otherNode.obtain(KEY).tryLock(-1, TimeUnit.SECONDS)).isFalse();
        assertThat(otherNode.obtain("group:8").tryLock()).isTrue();

        lock.unlock();
        assertThat(otherNode.obtain(KEY).tryLock()).isTrue();
    }

    @Test
    void locksByItsKeyWhichOthersCanUseToo() {
        lock.lock();

        assertThat(locks.lookup(KEY)).isPresent();
    }

    @Test
    void threadsExcludeEachOther() throws Exception {
        lock.lock();

        boolean atOnce = onAnotherThread(() -> lock.tryLock());
        boolean inTime = onAnotherThread(() -> lock.tryLock(0, TimeUnit.SECONDS));
        boolean byAnotherObject = onAnotherThread(() -> registry.obtain(KEY).tryLock());

        assertThat(List.of(atOnce, inTime, byAnotherObject)).containsOnly(false);
    }

    @Test
    void isReentrantInEachWayOfLocking() throws Exception {
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        registry.obtain(KEY).lock();

        for (int i = 0; i < 4; i++) {
            lock.unlock();
            assertThat(isLocked()).as("after %d unlocks", i + 1).isTrue();
        }
        registry.obtain(KEY).unlock();
        assertThat(isLocked()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void lockWaitsWithoutLimitAndKeepsAnInterrupt() throws Exception {
        FencelineLockRegistry slow =
                FencelineLockRegistry.over(locks(), LockOptions.defaults().withTtl(Duration.ofDays(1)));
        slow.obtain(KEY).lock();
        FutureTask<Boolean> waiter = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            lock.lock();
            return Thread.interrupted();
        });
        new Thread(waiter).start();
        for (int i = 0; i < 100; i++) {
            time.awaitParked(1);
            time.advance(Duration.ofMinutes(1));
        }
        time.awaitParked(1);
        assertThat(waiter).isNotDone();

        slow.obtain(KEY).unlock();
        time.advance(Duration.ofMinutes(1));
        assertThat(waiter.get()).isTrue();
    }

    @Test
    void isUnlockedByItsThreadOnly() throws Exception {
        lock.lock();

        onAnotherThread(() -> {
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> registry.renewLock(KEY));
            assertThat(registry.lease(KEY)).isEmpty();
            return null;
        });

        assertThat(isLocked()).isTrue();
    }

    @Test
    void isRenewedForAsLongAsItIsHeld() {
        lock.lock();
        for (int i = 0; i < 10; i++) {
            pass(TTL.dividedBy(3));
        }

        assertThat(remaining()).isEqualTo(TTL);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void renewLockExtendsAndChangesTheTtl() {
        lock.lock();
        time.advance(Duration.ofSeconds(5));
        registry.renewLock(KEY);
        assertThat(remaining()).isEqualTo(TTL);

        registry.renewLock(KEY, TTL.multipliedBy(4));
        assertThat(remaining()).isEqualTo(TTL.multipliedBy(4));
        pass(TTL.multipliedBy(2));
        assertThat(remaining()).isEqualTo(TTL.multipliedBy(4));
    }

    @Test
    void theLeaseIsThereForItsStamp() {
        assertThat(registry.lease(KEY)).isEmpty();
        lock.lock();
        Lease lease = registry.lease(KEY).orElseThrow();
        lock.lock();

        assertThat(registry.lease(KEY)).containsSame(lease);
        assertThat(lease.stamp().key()).isEqualTo(LockKey.of(KEY));
        assertThat(registry.lease("group:8")).isEmpty();
    }

    /** What LockRegistryLeaderInitiator relies on. */
    @Test
    void tryLockGivesALostLeaseUpAndThenLocksAnew() throws Exception {
        lock.lock();
        loseIt();

        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isFalse();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        loseIt();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThat(isLocked()).isFalse();
    }

    /** LockRegistryLeaderInitiator leads until it has the answer, and must be the only one until then. */
    @Test
    void tryLockLeavesALostLeaseToItsEndInTheStore() {
        faults.always(BackendOperation.EXTEND, Fault.lostRequest());
        lock.lock();
        pass(TTL.minusMillis(1));

        assertThat(lock.tryLock()).isFalse();
        assertThat(isLocked()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(isLocked()).isFalse();
    }

    @Test
    void unlockReleasesALeaseWhoseDeadlineHasPassed() {
        faults.always(BackendOperation.EXTEND, Fault.lostRequest());
        lock.lock();
        pass(TTL.minusMillis(1));

        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
        assertThat(isLocked()).isFalse();
    }

    @Test
    void lockTellsThatTheLeaseIsLost() {
        lock.lock();
        loseIt();

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lockInterruptibly);
        assertThatIllegalStateException().isThrownBy(() -> registry.renewLock(KEY));
        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
    }

    @Test
    void theLastUnlockTellsThatTheLeaseWasLost() {
        lock.lock();
        lock.lock();
        loseIt();
        otherNode.obtain(KEY).lock();

        lock.unlock();
        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining(KEY);

        assertThat(isLocked()).as("the next holder's lock").isTrue();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    /** Nothing has told us before. */
    @Test
    void unlockTellsThatTheStoreHasTheLeaseNoMore() {
        lock.lock();
        store.forceRelease(LockKey.of(KEY), Holder.of("an operator"));

        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
    }

    /** Nobody has the lease after that, to release it again. */
    @Test
    void unlockThatTheStoreDoesNotAnswerIsRepeatedInTheBackground() {
        lock.lock();
        faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::unlock);
        assertThat(isLocked()).isTrue();
        pass(Duration.ofSeconds(1));

        assertThat(isLocked()).isFalse();
    }

    @Test
    void aFailureOfTheStoreIsThrown() {
        faults.always(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.AUTH_FAILED));

        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
        assertThat(registry.lease(KEY)).isEmpty();
    }

    @Test
    void keysAreStrings() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.obtain(7))
                .withMessageContaining("7");
        assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(""));
    }

    @Test
    void executeLockedHoldsTheLockWhileItRuns() throws Exception {
        registry.executeLocked(KEY, () -> assertThat(isLocked()).isTrue());
        assertThat(isLocked()).isFalse();
        String result = registry.executeLocked(KEY, Duration.ofSeconds(1), () -> "done");
        assertThat(result).isEqualTo("done");

        otherNode.obtain(KEY).lock();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> registry.executeLocked(KEY, Duration.ZERO, () -> "not done"));
    }

    @Test
    void hasNothingToScheduleOrToExpire() {
        registry.setRenewalTaskScheduler(new ThreadPoolTaskScheduler());
        lock.lock();

        registry.expireUnusedOlderThan(0);

        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void aLockEqualsItself() {
        assertThat(Set.of(lock)).contains(lock).doesNotContain(registry.obtain("group:8"));
        assertThat(lock).hasToString("Lock[key=group:7]");
    }

    /** The interface is there from Spring Integration 7 on, which is not what this is compiled against. */
    @Test
    void isADistributedLockWhereThereAreSuch() throws Exception {
        Class<?> type;
        try {
            type = Class.forName(LockRegistry.class.getPackageName() + ".DistributedLock");
        } catch (ClassNotFoundException before7) {
            assertThat(System.getProperty("spring.integration")).isNull();
            return;
        }
        Method lockFor = type.getMethod("lock", Duration.class);
        Method tryLockFor = type.getMethod("tryLock", Duration.class, Duration.class);

        lockFor.invoke(lock, Duration.ofSeconds(7));
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(7));
        assertThat(tryLockFor.invoke(lock, Duration.ZERO, TTL)).isEqualTo(true);
        lock.unlock();
        lock.unlock();
        assertThat(tryLockFor.invoke(lock, Duration.ZERO, Duration.ofSeconds(8)))
                .isEqualTo(true);
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(8));
        assertThat(onAnotherThread(() -> tryLockFor.invoke(lock, Duration.ZERO, TTL)))
                .isEqualTo(false);
    }

    private void loseIt() {
        store.forceRelease(LockKey.of(KEY), Holder.of("an operator"));
        pass(TTL.dividedBy(3));
    }

    private void pass(Duration duration) {
        time.advance(duration);
        locks.runDueSteps();
    }

    private boolean isLocked() {
        return store.isLocked(LockKey.of(KEY));
    }

    private Duration remaining() {
        return store.lookup(LockKey.of(KEY)).map(LockRecord::remaining).orElseThrow();
    }

    private static <T> T onAnotherThread(Callable<T> task) throws Exception {
        FutureTask<T> future = new FutureTask<>(task);
        new Thread(future).start();
        return future.get();
    }
}
