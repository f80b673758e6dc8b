package io.fenceline.testkit.net;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One direction of a {@link FaultProxy}'s connections, those that exist and those to come. What is set here lasts until it is
 * {@linkplain #heal healed}; only {@link #end} happens once.
 */
public final class Flow {

    private static final int SLICES_A_SECOND = 20;

    private final Runnable ending;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean stalled;
    private long delayNanos;
    private long bytesPerSecond = Long.MAX_VALUE;

    Flow(Runnable ending) {
        this.ending = ending;
    }

    /** Lets nothing pass, neither bytes nor the end of a stream, until healed. Nothing is lost. */
    public void stall() {
        change(() -> stalled = true);
    }

    /**
     * Holds each piece back before it passes. Pieces keep their order. A piece that arrives while an earlier one is held back
     * waits for that one first.
     *
     * @param time how long at least
     * @throws IllegalArgumentException if it is negative
     */
    public void delay(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("delay is " + time + ", it cannot be negative");
        }
        change(() -> delayNanos = time.toNanos());
    }

    /**
     * Lets each connection pass that many bytes a second at most.
     *
     * @param bytesPerSecond at least 1
     * @throws IllegalArgumentException if it is less
     */
    public void throttle(long bytesPerSecond) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("bytesPerSecond is " + bytesPerSecond + ", at least 1 is needed");
        }
        change(() -> this.bytesPerSecond = bytesPerSecond);
    }

    /**
     * Half-closes every connection that exists: the reader of this direction reads the end of the stream, and what is still
     * sent to it is dropped. The other direction continues.
     */
    public void end() {
        ending.run();
    }

    /** Ends stall, delay and throttle. What was held back passes. */
    public void heal() {
        change(() -> {
            stalled = false;
            delayNanos = 0;
            bytesPerSecond = Long.MAX_VALUE;
        });
    }

    /** Blocks while it is stalled, and for the delay. */
    void await(Pump pump) throws InterruptedException {
        long arrivedNanos = System.nanoTime();
        lock.lockInterruptibly();
        try {
            while (!pump.over()) {
                long leftNanos = delayNanos - (System.nanoTime() - arrivedNanos);
                if (stalled) {
                    changed.await();
                } else if (leftNanos > 0) {
                    changed.awaitNanos(leftNanos);
                } else {
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how much of a piece may be written at once. */
    int slice(int length) {
        lock.lock();
        try {
            return (int) Math.min(length, Math.max(1, bytesPerSecond / SLICES_A_SECOND));
        } finally {
            lock.unlock();
        }
    }

    /** Blocks for as long as bytes that were written take at the present rate. */
    void awaitRate(Pump pump, int written) throws InterruptedException {
        long startNanos = System.nanoTime();
        lock.lockInterruptibly();
        try {
            while (!pump.over() && bytesPerSecond != Long.MAX_VALUE) {
                long neededNanos = written * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
                long leftNanos = neededNanos - (System.nanoTime() - startNanos);
                if (leftNanos <= 0) {
                    return;
                }
                changed.awaitNanos(leftNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets those that wait look again whether their connection is over. */
    void wake() {
        change(() -> {});
    }

    private void change(Runnable setting) {
        lock.lock();
        try {
            setting.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
