package io.fenceline.benchmarks.worker;

import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time in which figures count; before it is warm-up. In {@link System#nanoTime}, which all processes of a Linux machine
 * share.
 *
 * @param startNanos its first moment
 * @param endNanos the first moment after it
 */
public record Window(long startNanos, long endNanos) implements Serializable {

    /** Returns a window that starts after a warm-up from now on. */
    public static Window after(Duration warmUp, Duration length) {
        long start = System.nanoTime() + warmUp.toNanos();
        return new Window(start, start + length.toNanos());
    }

    /** Returns its length. */
    public double seconds() {
        return (endNanos - startNanos) / 1e9;
    }

    /** Waits until it starts. */
    public void awaitStart() throws InterruptedException {
        await(startNanos);
    }

    /** Waits until it is over. */
    public void awaitEnd() throws InterruptedException {
        await(endNanos);
    }

    private static void await(long until) throws InterruptedException {
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }
}
