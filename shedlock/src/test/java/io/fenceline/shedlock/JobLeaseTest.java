package io.fenceline.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

/** The lease of a job: its renewal, its loss, and how the job finds it. */
class JobLeaseTest extends LockProviderBench {

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

    /** The notice of a loss may be on its way when the job ends, and come when the thread runs something else. */
    @Test
    void aThreadIsNotInterruptedByALossThatIsToldAfterTheEnd() {
        JobRun run = new JobRun(locks.tryAcquire(JOB).orElseThrow(), time);
        run.end();

        run.interrupt();

        assertThat(Thread.interrupted()).isFalse();
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
}
