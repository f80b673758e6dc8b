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

        /** How many there have been in this process. */
        private static final AtomicLong INTERRUPTS = new AtomicLong();

        private final Thread thread = Thread.currentThread();
        private final @Nullable Interruption outer = INNERMOST.get();

        /** Interrupts up to this one have reached the bodies around; with a status that is still set, none has. */
        private final long seen = seenAround(outer);

        private boolean done;

        /** The number of its interrupt, 0 before. */
        private long interrupt;

        private Interruption() {
            INNERMOST.set(this);
        }

        private static long seenAround(@Nullable Interruption outer) {
            long latest = 0;
            for (Interruption around = outer; around != null; around = around.outer) {
                latest = Math.max(latest, around.interruptedAs());
            }
            return Thread.currentThread().isInterrupted() ? 0 : latest;
        }

        /** The number of its interrupt, 0 before; waits for one that is under way. */
        private synchronized long interruptedAs() {
            return interrupt;
        }

        private synchronized void interrupt() {
            if (!done && interrupt == 0) {
                thread.interrupt();
                interrupt = INTERRUPTS.incrementAndGet();
            }
        }

        /** Interrupts the thread once more if its interrupt has reached a body within this one, which may have taken it for its own. */
        private synchronized void repeat(long seenWithin) {
            if (!done && interrupt > seenWithin) {
                thread.interrupt();
            }
        }

        /**
         * Ends the interruption and returns whether the thread was interrupted. If so, clears its interrupt status. Bodies around
         * this one that were to be interrupted meanwhile are interrupted now. Called again, only returns it.
         *
         * @param thrown whether the body has ended by an {@link InterruptedException}: it tells the bodies around, unless it is replaced by the loss
         */
        boolean end(boolean thrown) {
            synchronized (this) {
                if (done) {
                    return interrupt != 0;
                }
                done = true;
            }
            if (outer == null) {
                INNERMOST.remove();
            } else {
                INNERMOST.set(outer);
            }
            if (interrupt != 0) {
                Thread.interrupted();
            } else if (thrown) {
                return false;
            }
            for (Interruption around = outer; around != null; around = around.outer) {
                around.repeat(seen);
            }
            return interrupt != 0;
        }
    }
}
