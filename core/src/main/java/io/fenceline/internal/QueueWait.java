package io.fenceline.internal;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockTimeoutException;
import io.fenceline.telemetry.NoGrant;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/** One wait in the local queue, and what its caller is told if the turn does not come. */
final class QueueWait {

    /** A wait that never ends, short enough that adding it to a ticker value does not overflow. */
    private static final long ENDLESS_NANOS = Long.MAX_VALUE / 2;

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private QueueWait() {}

    /**
     * Waits for the turn.
     *
     * @param began when the call began, by the ticker
     * @throws LockTimeoutException if the turn did not come before the end of the wait
     */
    static LocalQueue.Turn forTurn(Engine engine, PendingAcquire pending, long began) throws InterruptedException {
        LockKey key = pending.key();
        boolean ownLock = engine.queue().isOwnTurn(key);
        if (ownLock && pending.waitEndNanos() - began >= ENDLESS_NANOS) {
            LOG.log(
                    Level.WARNING,
                    "this thread waits without limit for lock ''{0}'', which it has acquired itself",
                    key);
        }
        LocalQueue.Turn turn = null;
        NoGrant reason = NoGrant.INTERRUPTED;
        try {
            turn = engine.queue().enter(pending);
            reason = NoGrant.TIMED_OUT;
        } finally {
            if (turn == null) {
                engine.notGranted(key, reason, engine.time().ticker().nanos() - began, 0);
            }
        }
        if (turn == null) {
            Duration wait = Duration.ofNanos(pending.waitEndNanos() - began);
            Optional<Holder> holder = engine.queue().holder(key);
            throw ownLock && engine.queue().isOwnTurn(key)
                    ? LockTimeoutException.ofOwnLock(key, wait, holder)
                    : new LockTimeoutException(key, wait, holder);
        }
        return turn;
    }

    /** Converts a wait to nanoseconds, limited so that adding it to a ticker value does not overflow. */
    static long nanosOf(Duration wait) {
        return wait.compareTo(Duration.ofDays(36_500)) > 0 ? ENDLESS_NANOS : wait.toNanos();
    }
}
