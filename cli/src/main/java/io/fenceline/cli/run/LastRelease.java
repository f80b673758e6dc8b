package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.ReleaseErrorHandler;
import io.fenceline.ReleaseOutcome;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The release at the end of a run. If it fails while the store is away, the engine repeats it in the background; a command that ended
 * meanwhile would drop the repetition, and with it the minimum hold.
 */
final class LastRelease implements LockListener, ReleaseErrorHandler {

    private final CountDownLatch decided = new CountDownLatch(1);
    private volatile @Nullable RuntimeException failure;
    private volatile boolean ended;

    @Override
    public void onReleaseError(FenceStamp stamp, RuntimeException error) {
        failure = error;
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.Released released) {
            ended = true;
            if (released.outcome() == ReleaseOutcome.RELEASED) {
                failure = null;
            }
            decided.countDown();
        } else if (event instanceof LockEvent.ReleaseFailed failed && !isTransient(failed.error())) {
            failure = failed.error();
            decided.countDown(); // the engine does not repeat it
        }
    }

    /** The failure of a release that nobody repeated with success yet. */
    Optional<RuntimeException> failure() {
        return Optional.ofNullable(failure);
    }

    /** Returns whether the store has said that the lease is over, of which a failed release may be the cause: its reply was lost. */
    boolean isEnded() {
        return ended;
    }

    /** The failure of a release that the engine repeats. */
    Optional<BackendException> outage() {
        return failure instanceof BackendException outage && isTransient(outage)
                ? Optional.of(outage)
                : Optional.empty();
    }

    /** Waits until a repetition succeeds or fails for good, or {@link #stopWaiting} is called. */
    void awaitRepetition(Duration limit) throws InterruptedException {
        decided.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends the wait, also one that has not begun yet. */
    void stopWaiting() {
        decided.countDown();
    }

    private static boolean isTransient(RuntimeException error) {
        return error instanceof BackendException failure && failure.code().isTransient();
    }
}
