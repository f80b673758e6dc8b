package io.fenceline.redis;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lock ids that were given up after a request without a reply. The server may execute that request later and grant the lock to an id
 * without a waiter. Such a grant is released here, in the background.
 *
 * <p>It is never known when such a request is lost for good, so an id is kept until {@value #MAX_IDS} later ones have been given up.
 * Each id has at most one release in flight, and releases do not wait for each other: a node that hangs delays only its own.
 */
final class AbandonedRequests implements AutoCloseable {

    static final int MAX_IDS = 1_000;

    private static final Logger LOGGER = System.getLogger(AbandonedRequests.class.getName());

    private static final int ATTEMPTS = 60;
    private static final long MAX_PAUSE_MILLIS = 1_000;

    /** Guarded by this object, like its values. */
    private final Map<LockId, PendingRelease> releases = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<LockId, PendingRelease> eldest) {
            return size() > MAX_IDS;
        }
    };

    /** Sends the releases and schedules the retries; never blocks on a reply. */
    private final ScheduledThreadPoolExecutor sender =
            new ScheduledThreadPoolExecutor(1, AbandonedRequests::daemon, new ThreadPoolExecutor.DiscardPolicy());

    private final BiFunction<LockKey, LockId, CompletionStage<?>> release;

    /** {@code release} sends the release of an id, and completes exceptionally without a reply. */
    AbandonedRequests(BiFunction<LockKey, LockId, CompletionStage<?>> release) {
        this.release = release;
        sender.setKeepAliveTime(10, TimeUnit.SECONDS);
        sender.allowCoreThreadTimeOut(true);
    }

    synchronized void add(LockId lockId, LockKey key) {
        releases.put(lockId, new PendingRelease(key, lockId));
    }

    /** Removes an id that is used again. */
    synchronized void remove(LockId lockId) {
        releases.remove(lockId);
    }

    /** Releases an abandoned id in the background. */
    synchronized void undo(LockId lockId) {
        PendingRelease undo = releases.get(lockId);
        if (undo != null) {
            undo.request();
        }
    }

    /** Releases all ids in the background, after messages may have been lost. */
    synchronized void undoAll() {
        releases.values().forEach(PendingRelease::request);
    }

    @Override
    public void close() {
        sender.shutdownNow();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fenceline-redis-undo");
        thread.setDaemon(true);
        return thread;
    }

    /** The releases of one id: one at a time, and another one if it was requested after the last was sent. */
    private final class PendingRelease {

        private final LockKey key;
        private final LockId lockId;
        private boolean requested;
        private boolean inFlight;

        PendingRelease(LockKey key, LockId lockId) {
            this.key = key;
            this.lockId = lockId;
        }

        void request() {
            requested = true;
            if (!inFlight) {
                inFlight = true;
                sender.execute(() -> attempt(1));
            }
        }

        private void attempt(int made) {
            synchronized (AbandonedRequests.this) {
                if (releases.get(lockId) != this) {
                    return;
                }
                requested = false;
            }
            sent().whenComplete((answer, failure) -> finished(made, failure));
        }

        private CompletionStage<?> sent() {
            try {
                return release.apply(key, lockId);
            } catch (RuntimeException e) { // retried like a release without a reply
                return CompletableFuture.failedFuture(e);
            }
        }

        private void finished(int made, @Nullable Throwable failure) {
            synchronized (AbandonedRequests.this) {
                boolean repeats = failure != null && made < ATTEMPTS;
                inFlight = repeats || requested;
                if (repeats) {
                    long pause = Math.min(MAX_PAUSE_MILLIS, 10L << Math.min(made, 10));
                    var unused = sender.schedule(() -> attempt(made + 1), pause, TimeUnit.MILLISECONDS);
                } else if (requested) {
                    sender.execute(() -> attempt(1));
                }
            }
            if (failure != null && made == ATTEMPTS) {
                LOGGER.log(
                        Level.WARNING,
                        "lock '" + key + "' may stay taken until its ttl ends, by a request that was given up",
                        failure);
            }
        }
    }
}
