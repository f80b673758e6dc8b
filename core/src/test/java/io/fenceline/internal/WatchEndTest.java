package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.time.Delays;
import io.fenceline.time.Ticker;
import io.fenceline.time.TimeSource;
import io.fenceline.time.WallClock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of the thread that watches over leases. */
class WatchEndTest {

    private final CountDownLatch looking = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicReference<Thread> watch = new AtomicReference<>();

    /** A wait for a lock ends with the wake that came meanwhile, and uses it up. */
    @Test
    @Timeout(60)
    void comesThoughItIsWokenWhileItWaitsForTheLock() throws InterruptedException {
        Locks locks = Locks.builder(new MemoryLockBackend())
                .time(new TimeSource(this::nanos, WallClock.system(), new UsedUp()))
                .build();
        assertThat(locks.tryAcquire("key")).isPresent();
        looking.await();

        locks.close();

        watch.get().join(20_000);
        assertThat(watch.get().isAlive()).isFalse();
    }

    /** The watch looks at the time before it looks at the leases. */
    private long nanos() {
        Thread thread = Thread.currentThread();
        if (thread.getName().startsWith("fenceline-watch") && watch.compareAndSet(null, thread)) {
            looking.countDown();
            try {
                closing.await();
            } catch (InterruptedException e) {
                thread.interrupt();
            }
        }
        return Ticker.system().nanos();
    }

    private final class UsedUp implements Delays {

        @Override
        public void park(long nanos) throws InterruptedException {
            Delays.system().park(nanos);
        }

        @Override
        public void wake(Thread thread) {
            closing.countDown();
        }
    }
}
