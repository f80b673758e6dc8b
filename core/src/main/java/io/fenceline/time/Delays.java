package io.fenceline.time;

/**
 * Parks and wakes threads. Works like {@link java.util.concurrent.locks.LockSupport}: a wake-up that comes first is not lost, and
 * a wait may end for no reason, so callers wait in a loop around their condition.
 */
public interface Delays {

    /**
     * Blocks the calling thread until it is woken, the time is over, or it is interrupted. A thread that was woken since its
     * last wait returns at once.
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
     * Returns real waiting.
     *
     * @return waits of {@link java.util.concurrent.locks.LockSupport}
     */
    static Delays system() {
        return SystemDelays.INSTANCE;
    }
}
