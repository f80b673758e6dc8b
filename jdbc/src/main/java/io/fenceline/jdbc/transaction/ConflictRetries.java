package io.fenceline.jdbc.transaction;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.time.Delays;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The retries of one transaction after conflicts with others, with random pauses that grow. */
final class ConflictRetries {

    private static final int MAX_PAUSE_MILLIS = 50;

    private final int limit;
    private final Delays delays;
    private int used;

    ConflictRetries(int limit, Delays delays) {
        this.limit = limit;
        this.delays = delays;
    }

    /**
     * Tells whether the database gave the transaction up because of others. Libraries between the body and the driver wrap what it
     * said. A conflict that another transaction was repeated for in vain does not count.
     */
    static boolean isConflict(Exception e, FenceDialect dialect) {
        for (Throwable cause = e; cause != null && !(cause instanceof RetriesUsedUp); cause = cause.getCause()) {
            if (cause instanceof SQLException sql && dialect.isConflict(sql)) {
                return true;
            }
        }
        return false;
    }

    /** Pauses before the next retry, or throws if none is left. */
    void pauseOrGiveUp(Exception conflict) {
        if (used >= limit) {
            throw gaveUp("conflicts with other transactions in all of " + (used + 1) + " attempts", conflict);
        }
        int longest = Math.min(MAX_PAUSE_MILLIS, 1 << Math.min(used, 16));
        used++;
        try {
            delays.park(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(longest)) + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw gaveUp("interrupted after a conflict with another transaction", conflict);
        }
    }

    private static BackendException gaveUp(String what, Exception conflict) {
        return new BackendException(
                ErrorCode.ABORTED,
                Effect.NONE,
                what + "; nothing was written: " + conflict.getMessage(),
                new RetriesUsedUp(conflict));
    }

    /** Keeps a transaction around this one from repeating what was repeated already. */
    private static final class RetriesUsedUp extends Exception {

        private static final long serialVersionUID = 1;

        RetriesUsedUp(Exception conflict) {
            super(conflict.getMessage(), conflict);
        }
    }
}
