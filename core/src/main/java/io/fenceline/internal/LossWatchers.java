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

    synchronized Interruption interrupt(Thread thread) {
        interruption = new Interruption(thread);
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

    /** Interrupts one thread at most once, and never after {@link #end}. */
    static final class Interruption {
        private final Thread thread;
        private boolean done;
        private boolean interrupted;

        private Interruption(Thread thread) {
            this.thread = thread;
        }

        private synchronized void interrupt() {
            if (!done && !interrupted) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /** Ends the interruption and returns whether the thread was interrupted. If so, clears its interrupt status. */
        synchronized boolean end() {
            done = true;
            if (interrupted) {
                Thread.interrupted();
            }
            return interrupted;
        }
    }
}
