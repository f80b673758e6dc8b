package io.fenceline.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The registry on manual time, on whichever Spring Integration is there. */
class FencelineLockRegistryTest extends LockRegistryCase {

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
    void anInterruptedThreadDoesNotLockAgain() {
        lock.lock();

        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));

        lock.unlock();
        assertThat(isLocked()).isFalse();
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

    private static <T> T onAnotherThread(Callable<T> task) throws Exception {
        FutureTask<T> future = new FutureTask<>(task);
        new Thread(future).start();
        return future.get();
    }
}
