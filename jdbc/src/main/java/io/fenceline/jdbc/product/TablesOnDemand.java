package io.fenceline.jdbc.product;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.spi.SchemaControl;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a store that was opened by its URI, made before the first change. Until then reads find nothing and make nothing.
 */
public final class TablesOnDemand implements SchemaControl {

    /** SQLSTATEs of a missing table: on PostgreSQL, MariaDB and MySQL, and H2, where the file may be missing too. */
    private static final Set<String> MISSING = Set.of("42P01", "42S02", "42S03", "42S04", "90079", "90146");

    private final StoreSchema schema;
    private final Runnable making;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean done;

    /** The latest attempt to make them, which has a thread of its own: it may take longer than its callers want to wait. */
    private @Nullable FutureTask<Void> latestAttempt;

    /**
     * Checks which tables there are.
     *
     * @throws BackendException as {@link StoreSchema#isComplete} does
     */
    public TablesOnDemand(StoreSchema schema, Runnable making) {
        this.schema = schema;
        this.making = making;
        this.done = isComplete(schema);
    }

    private static boolean isComplete(StoreSchema schema) {
        try {
            return schema.isComplete();
        } catch (BackendException e) {
            if (isMissing(e)) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public String schemaScript() {
        return schema.schemaScript();
    }

    @Override
    public void installSchema() {
        making.run();
        schema.installSchema();
        done = true;
    }

    @Override
    public List<String> schemaProblems() {
        try {
            return schema.schemaProblems();
        } catch (BackendException e) {
            if (isMissing(e)) {
                return List.of("the database is missing");
            }
            throw e;
        }
    }

    /**
     * Makes the tables that are missing, once. A role that may not make any goes on: if one is missing, its statement says what to do.
     *
     * @param timeout how long to wait for them; the making goes on after it, within limits of its own
     * @throws BackendException if it fails for another reason
     */
    void make(Duration timeout) {
        if (done) {
            return;
        }
        long end = System.nanoTime() + timeout.toNanos();
        FutureTask<Void> attempt = attemptUnderWay();
        try {
            Uninterrupted.<Void, Exception>run(() -> attempt.get(end - System.nanoTime(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            throw PlatformThreads.unwrapped(e);
        } catch (Exception timedOut) {
            throw new BackendException(
                    ErrorCode.NETWORK_TIMEOUT,
                    Effect.NONE,
                    "the store's tables were not made within " + timeout.toMillis() + " ms",
                    null);
        }
    }

    /** Begins an attempt if none is under way. */
    private FutureTask<Void> attemptUnderWay() {
        lock.lock();
        try {
            FutureTask<Void> attempt = latestAttempt;
            if (attempt == null || attempt.isDone()) {
                attempt = new FutureTask<>(this::makeNow, null);
                PlatformThreads.start(attempt);
                latestAttempt = attempt;
            }
            return attempt;
        } finally {
            lock.unlock();
        }
    }

    private void makeNow() {
        try {
            if (!done) {
                installSchema();
            }
        } catch (BackendException e) {
            if (e.code() != ErrorCode.AUTH_FAILED) {
                throw e;
            }
            done = true;
        }
    }

    /** Tells whether there are no tables, for a statement that failed: not every error is clear about that. */
    boolean areMissing() {
        return !isComplete(schema);
    }

    private static boolean isMissing(BackendException e) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && MISSING.contains(String.valueOf(sql.getSQLState()))) {
                return true;
            }
        }
        return false;
    }
}
