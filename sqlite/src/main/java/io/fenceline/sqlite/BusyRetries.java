package io.fenceline.sqlite;

import io.fenceline.time.TimeSource;
import java.util.concurrent.ThreadLocalRandom;
import org.sqlite.BusyHandler;

/**
 * Busy handler: decides whether SQLite tries again while another process writes.
 *
 * <p>SQLite's own handler waits longer with each try, which starves whoever has waited longest; here every try comes after the
 * same short, random pause.
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

    /** Starts a turn that may wait until the deadline. Used by the thread whose turn it is, as all of this class. */
    void startTurn(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
    }

    /** Gives the thread its interrupt status back, without which no pause could have been made. */
    void endTurn() {
        if (interrupted) {
            interrupted = false;
            Thread.currentThread().interrupt();
        }
    }

    /** Waits a little. */
    boolean pause() {
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

    @Override
    protected int callback(int tries) {
        return pause() ? TRY_AGAIN : GIVE_UP;
    }
}
