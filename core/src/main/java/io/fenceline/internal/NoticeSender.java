package io.fenceline.internal;

import io.fenceline.LockKey;
import io.fenceline.spi.WaiterNotices;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Posts and takes {@link WaiterNotices}, if the backend supports them. After a failure it pauses, since a notice is only a hint. */
final class NoticeSender {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    /** Longer than the longest default pause of a waiter and its round trips. */
    private static final Duration MAX_PAUSE = Duration.ofMillis(1200);

    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final long OFF_AFTER_FAILURE_NANOS = 10_000_000_000L;

    private final Engine engine;
    private final @Nullable WaiterNotices notices;
    private volatile @Nullable Long offUntil;

    NoticeSender(Engine engine, @Nullable WaiterNotices notices) {
        this.engine = engine;
        this.notices = notices;
    }

    /** Posts that this process waits for a lock and when it attempts next. */
    void post(LockKey key, Duration nextAttempt) {
        if (notices == null || isOff()) {
            return;
        }
        try {
            notices.post(key, nextAttempt, TIMEOUT);
        } catch (Exception e) {
            failed("cannot post a notice that this process waits for a lock", e);
        }
    }

    /** Returns the time for which a lock released by this process stays free for waiters of other processes. */
    Duration pauseForOthers(LockKey key) {
        if (notices == null || isOff()) {
            return Duration.ZERO;
        }
        try {
            Duration pause =
                    engine.uninterrupted(again -> notices.take(key, TIMEOUT)).orElse(Duration.ZERO);
            return pause.compareTo(MAX_PAUSE) < 0 ? pause : MAX_PAUSE;
        } catch (Exception e) {
            failed("cannot read whether other processes wait for a lock", e);
            return Duration.ZERO;
        }
    }

    private boolean isOff() {
        Long until = offUntil;
        return until != null && until - engine.time().ticker().nanos() > 0;
    }

    private void failed(String what, Exception e) {
        offUntil = engine.time().ticker().nanos() + OFF_AFTER_FAILURE_NANOS;
        LOG.log(Level.DEBUG, what, e);
    }
}
