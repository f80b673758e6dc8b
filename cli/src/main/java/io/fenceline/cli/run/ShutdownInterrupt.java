package io.fenceline.cli.run;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts a thread when a signal (HUP, INT, TERM) ends the JVM, so that it releases its lock. The JVM waits for the thread
 * for at most {@value #LONGEST_SECONDS} seconds plus the time the work needs to stop. It then ends with 128 + the signal's
 * number, whatever exit code the thread asks for.
 */
final class ShutdownInterrupt {

    /** Longer than a store takes to answer or to fail. A lock that is still held then expires. */
    private static final int LONGEST_SECONDS = 15;

    private final Duration longest;
    private final Thread target = Thread.currentThread();
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean begun;

    /** Work that a shutdown interrupts. */
    interface Work<T> {

        T run(ShutdownInterrupt shutdown) throws Exception;
    }

    private ShutdownInterrupt(Duration longest) {
        this.longest = longest;
    }

    /**
     * Runs work that a shutdown of the JVM interrupts.
     *
     * @throws InterruptedException if the work was interrupted, or the shutdown began before it
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

    /** Throws if the shutdown has begun. For use after calls that may swallow the interrupt, as drivers do while they start. */
    void throwIfBegun() throws InterruptedException {
        if (begun) {
            throw new InterruptedException("the JVM is being shut down");
        }
    }

    boolean hasBegun() {
        return begun;
    }

    private void shutDown() {
        begun = true;
        target.interrupt();
        try {
            if (!finished.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                System.err.println("fenceline: the store does not answer; the lock expires within its ttl");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // it has waited for us
        }
    }
}
