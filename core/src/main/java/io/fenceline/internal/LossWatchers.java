package io.fenceline.internal;

import io.fenceline.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Notifies those who watch one lease of its loss. Made to cost nothing for a lease that nobody watches. */
final class LossWatchers {

    private @Nullable CompletableFuture<LeaseLostException> signal;
    private @Nullable Interruption interruption;

    synchronized CompletableFuture<LeaseLostException> signal() {
        if (signal == null) {
            signal = new CompletableFuture<>();
        }
        return signal;
    }

    void tell(LeaseLostException loss) {
        CompletableFuture<LeaseLostException> told;
        synchronized (this) {
            told = signal;
        }
        if (told != null) {
            told.complete(loss);
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

    /** One thread that is interrupted at most once, and not after it said that it is done. */
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

        /** Ends it and answers whether the thread was interrupted; its interrupt status is then cleared. */
        synchronized boolean end() {
            done = true;
            if (interrupted) {
                Thread.interrupted();
            }
            return interrupted;
        }
    }
}
