package io.fenceline.sqlite;

import io.fenceline.time.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A fair lock around a connection, with a limit to the wait. An interrupt does not end a wait; the interrupt status is kept. */
final class FairLock {

    private final ReentrantLock lock = new ReentrantLock(true);
    private final Ticker ticker;

    FairLock(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Locks until a deadline by the ticker. Returns whether the calling thread has the lock now. */
    boolean tryLock(long deadlineNanos) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return lock.tryLock(deadlineNanos - ticker.nanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Locks without a limit. */
    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }
}
