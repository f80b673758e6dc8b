package io.fenceline.time;

/**
 * Parks and wakes threads. Works like {@link java.util.concurrent.locks.LockSupport}: an early wake-up is not lost, and wake-ups may be
 * spurious, so callers wait in a loop around their condition.
 */
public interface Delays {

    /**
     * Blocks the calling thread until it is woken, the time is over, or it is interrupted. Returns at once if the thread was woken since its last wait.
     *
     * @param nanos the longest wait, by the {@link Ticker} of the same {@link TimeSource}; returns at once if not positive
     * @throws InterruptedException if the thread is interrupted before or during the wait; its interrupt status is cleared
     */
    void park(long nanos) throws InterruptedException;

    /**
     * Ends the current or the next wait of a thread.
     *
     * @param thread the thread to wake
     */
    void wake(Thread thread);

    /**
     * Returns delays on system time.
     *
     * @return delays based on {@link java.util.concurrent.locks.LockSupport}
     */
    static Delays system() {
        return SystemDelays.INSTANCE;
    }
}
