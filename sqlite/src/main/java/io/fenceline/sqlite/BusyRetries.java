package io.fenceline.sqlite;

import io.fenceline.time.TimeSource;
import java.util.concurrent.ThreadLocalRandom;
import org.sqlite.BusyHandler;

/**
 * Busy handler: decides whether SQLite tries again while another process writes. Used by the thread that holds the connection's lock.
 *
 * <p>SQLite's own handler pauses longer after each try, which starves the process that has waited longest. Here every pause is equally
 * short and random.
 */
final class BusyRetries extends BusyHandler {

    private static final long MIN_PAUSE_NANOS = 50_000;
    private static final long MAX_PAUSE_NANOS = 500_000;
    private static final int GIVE_UP = 0;
    private static final int TRY_AGAIN = 1;

    private final TimeSource time;
    private long deadlineNanos;
    private boolean interrupted;

    BusyRetries(TimeSource time) {
        this.time = time;
        this.deadlineNanos = time.ticker().nanos();
    }

    /** Begins an operation that may retry until the deadline. */
    void begin(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
    }

    /** Ends it, and restores the thread's interrupt status. With that status set the pauses would have ended at once. */
    void end() {
        if (interrupted) {
            interrupted = false;
            Thread.currentThread().interrupt();
        }
    }

    @Override
    protected int callback(int tries) {
        return mayTryAgain() ? TRY_AGAIN : GIVE_UP;
    }

    /** Pauses. Returns false, at once, if the deadline has passed. */
    boolean mayTryAgain() {
        if (time.ticker().nanos() - deadlineNanos >= 0) {
            return false;
        }
        try {
            time.delays().park(ThreadLocalRandom.current().nextLong(MIN_PAUSE_NANOS, MAX_PAUSE_NANOS));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        return true;
    }
}
