package io.fenceline.testkit.sim;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The reply that one task waits for; one that comes too late is dropped. */
final class SimulatedReply<T> {

    private static final Duration DRIVER_TIMEOUT = Duration.ofMillis(1500);

    private final SimulatedThread caller = SimulatedThread.current();
    private @Nullable Supplier<T> outcome;

    /** Hands over the result or, when it is asked for, the error. */
    void arrive(Supplier<T> outcome) {
        this.outcome = outcome;
        caller.resumeSoon();
    }

    /** Waits as a driver does: up to its timeout or the caller's, or until the thread is interrupted, whose status is kept. */
    T await(long limitNanos) {
        caller.await(() -> outcome != null, Math.min(limitNanos, DRIVER_TIMEOUT.toNanos()));
        if (outcome != null) {
            return outcome.get();
        }
        throw caller.isInterrupted()
                ? unknown(ErrorCode.ABORTED, "interrupted")
                : unknown(ErrorCode.NETWORK_TIMEOUT, "no reply came");
    }

    private static BackendException unknown(ErrorCode code, String what) {
        return new BackendException(code, Effect.UNKNOWN, "simulated: " + what, null);
    }
}
