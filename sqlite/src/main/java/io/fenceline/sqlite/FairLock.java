package io.fenceline.sqlite;

import io.fenceline.time.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A fair lock around a connection: one thread at a time, in the order in which they came, with a limit to the wait. */
final class FairLock {

    private final ReentrantLock lock = new ReentrantLock(true);
    private final Ticker ticker;

    FairLock(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Waits for the turn. An interrupt does not end the wait; the thread's interrupt status is kept.
     *
     * @param deadlineNanos when to give up, by the ticker
     * @return whether it is the calling thread's turn now; then it must {@link #pass} it on
     */
    boolean take(long deadlineNanos) {
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

    /** Waits for the turn without a limit. */
    void take() {
        lock.lock();
    }

    void pass() {
        lock.unlock();
    }
}
