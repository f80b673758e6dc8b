package io.fenceline.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets one thread give back what it holds when a signal (HUP, INT, TERM) ends the JVM: the thread is interrupted, and the JVM
 * waits for it, at most {@value #LONGEST_SECONDS} seconds and what it needs beside. The JVM then ends with 128 and the
 * signal's number, whatever exit code the thread asks for.
 */
final class ShutdownInterrupt {

    /** Longer than a store takes to answer or to fail. What is held after that ends with its ttl. */
    private static final int LONGEST_SECONDS = 15;

    private final Duration longest;
    private final Thread target = Thread.currentThread();
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean begun;

    /** Work that a shutdown interrupts. */
    interface Work<T> {

        /** Does it; can ask whether the shutdown has begun. */
        T run(ShutdownInterrupt shutdown) throws Exception;
    }

    private ShutdownInterrupt(Duration longest) {
        this.longest = longest;
    }

    /**
     * Does work that a shutdown of the JVM interrupts.
     *
     * @throws InterruptedException if it was interrupted, or if the shutdown has begun before it
     */
    static <T> T during(Work<T> work) throws Exception {
        return during(Duration.ZERO, work);
    }

    /**
     * Does work that a shutdown of the JVM interrupts, and that needs a while to stop.
     *
     * @param stopping how long it needs beside what it needs for the store
     * @throws InterruptedException if it was interrupted, or if the shutdown has begun before it
     */
    static <T> T during(Duration stopping, Work<T> work) throws Exception {
        ShutdownInterrupt interrupt = new ShutdownInterrupt(stopping.plusSeconds(LONGEST_SECONDS));
        Thread hook = new Thread(interrupt::shutDown, "shutdown");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            throw new InterruptedException("the JVM is being shut down");
        }
        try {
            return work.run(interrupt);
        } finally {
            interrupt.finished.countDown();
            remove(hook);
        }
    }

    /**
     * Does nothing unless the shutdown has begun. To be called after work that may have swallowed the interrupt: drivers do
     * while they start.
     *
     * @throws InterruptedException if it has
     */
    void ensureNone() throws InterruptedException {
        if (begun) {
            throw new InterruptedException("the JVM is being shut down");
        }
    }

    /** Whether the shutdown has begun. */
    boolean hasBegun() {
        return begun;
    }

    private void shutDown() {
        begun = true;
        target.interrupt();
        try {
            if (!finished.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                System.err.println("fenceline: the store does not answer; the lock stays taken for its ttl at most");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // then it has waited for us
        }
    }
}
