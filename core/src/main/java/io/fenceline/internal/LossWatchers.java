package io.fenceline.internal;

import io.fenceline.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
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

        /** Numbers the interrupts of this process. */
        private static final AtomicLong LAST_NUMBER = new AtomicLong();

        private final Thread thread = Thread.currentThread();
        private final @Nullable Interruption outer = INNERMOST.get();

        /** The last interrupt that the bodies around have noticed: none if the thread's interrupt status is still set. */
        private final long seen = seenAround(outer);

        private boolean done;

        /** The number of its interrupt; 0 if there was none. */
        private long number;

        private Interruption() {
            INNERMOST.set(this);
        }

        private static long seenAround(@Nullable Interruption outer) {
            long latest = 0;
            for (Interruption around = outer; around != null; around = around.outer) {
                latest = Math.max(latest, around.number());
            }
            return Thread.currentThread().isInterrupted() ? 0 : latest;
        }

        /** Returns the number of its interrupt, and waits for one that is under way. */
        private synchronized long number() {
            return number;
        }

        private synchronized void interrupt() {
            if (!done && number == 0) {
                thread.interrupt();
                number = LAST_NUMBER.incrementAndGet();
            }
        }

        /** Interrupts the thread once more if its interrupt has reached a body within this one, which may have taken it for its own. */
        private synchronized void repeat(long seenWithin) {
            if (!done && number > seenWithin) {
                thread.interrupt();
            }
        }

        /**
         * Ends the interruption and returns whether the thread was interrupted. If so, clears its interrupt status. Bodies around
         * this one that were to be interrupted meanwhile are interrupted now. Called again, only returns it.
         *
         * @param thrown whether the body threw an {@link InterruptedException}, which tells the bodies around if it reaches them
         */
        boolean end(boolean thrown) {
            synchronized (this) {
                if (done) {
                    return number != 0;
                }
                done = true;
            }
            if (outer == null) {
                INNERMOST.remove();
            } else {
                INNERMOST.set(outer);
            }
            if (number != 0) {
                Thread.interrupted();
            } else if (thrown) {
                return false;
            }
            for (Interruption around = outer; around != null; around = around.outer) {
                around.repeat(seen);
            }
            return number != 0;
        }
    }
}
