package io.fenceline.internal;

import io.fenceline.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Notifies the watchers of one lease of its loss. Allocates nothing until the first watcher comes. */
final class LossWatchers {

    private @Nullable CompletableFuture<LeaseLostException> signal;
    private @Nullable Interruption interruption;

    synchronized CompletableFuture<LeaseLostException> signal() {
        if (signal == null) {
            signal = new CompletableFuture<>();
        }
        return signal;
    }

    void complete(LeaseLostException loss) {
        CompletableFuture<LeaseLostException> watched;
        synchronized (this) {
            watched = signal;
        }
        if (watched != null) {
            watched.complete(loss);
        }
    }

    /** Interrupts the calling thread on a loss. */
    synchronized Interruption interruption() {
        interruption = new Interruption();
        return interruption;
    }

    void interruptBody() {
        Interruption target;
        synchronized (this) {
            target = interruption;
        }
        if (target != null) {
            target.interrupt();
        }
    }

    /** Interrupts the thread that made it, at most once and never after {@link #end}. Those of nested bodies end from the inside out. */
    static final class Interruption {

        private static final ThreadLocal<@Nullable Interruption> INNERMOST = new ThreadLocal<>();

        private final Thread thread = Thread.currentThread();
        private final @Nullable Interruption outer = INNERMOST.get();
        private boolean done;
        private boolean interrupted;

        private Interruption() {
            INNERMOST.set(this);
        }

        private synchronized void interrupt() {
            if (!done && !interrupted) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /** Interrupts the thread once more, if it was interrupted and goes on with the body. */
        private synchronized void repeat() {
            if (interrupted && !done) {
                thread.interrupt();
            }
        }

        /**
         * Ends the interruption and returns whether the thread was interrupted. If so, clears its interrupt status, unless a body
         * around this one is to be interrupted too. Called again, only returns it.
         */
        boolean end() {
            synchronized (this) {
                if (done) {
                    return interrupted;
                }
                done = true;
            }
            if (outer == null) {
                INNERMOST.remove();
            } else {
                INNERMOST.set(outer);
            }
            if (interrupted) {
                Thread.interrupted();
                for (Interruption around = outer; around != null; around = around.outer) {
                    around.repeat();
                }
            }
            return interrupted;
        }
    }
}
