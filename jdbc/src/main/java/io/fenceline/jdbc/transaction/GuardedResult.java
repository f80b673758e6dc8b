package io.fenceline.jdbc.transaction;

import io.fenceline.FenceStamp;
import io.fenceline.guard.Verdict;
import io.fenceline.telemetry.LockListeners;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a transaction of the guard's own: committed with a result, or rolled back because the guard refused.
 */
public record GuardedResult<T>(Verdict verdict, @Nullable T result) {

    /** Returns the result, or tells the listeners and throws. Called when the transaction is over. */
    @SuppressWarnings("NullAway") // what was accepted has what the body returned
    public T orThrow(String resource, FenceStamp stamp, LockListeners listeners) {
        verdict.orThrow(resource, stamp, listeners);
        return result;
    }

    /** Returns the result of what was accepted. */
    @SuppressWarnings("NullAway")
    public T accepted() {
        return result;
    }
}
