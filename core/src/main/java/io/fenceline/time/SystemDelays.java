package io.fenceline.time;

import java.util.concurrent.locks.LockSupport;

/** Delays on system time. */
enum SystemDelays implements Delays {
    INSTANCE;

    @Override
    public void park(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        LockSupport.parkNanos(this, nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public void wake(Thread thread) {
        LockSupport.unpark(thread);
    }
}
