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
 * Lock ids that were given up although a request of theirs had no reply. The server may execute that request at any later time and
 * give the lock to an id that nobody waits under; then it is released here, in the background.
 *
 * <p>Nobody can tell when such a request is lost for good, so an id is kept until {@value #MOST} later ones have been given up. Each
 * id has at most one release under way, and no release waits for another: a node that is silent delays only its own.
 */
final class GivenUp implements AutoCloseable {

    static final int MOST = 1_000;

    private static final Logger LOGGER = System.getLogger(GivenUp.class.getName());

    private static final int ATTEMPTS = 60;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    /** Guarded by this, as is what is in it. */
    private final Map<LockId, Undo> undos = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<LockId, Undo> eldest) {
            return size() > MOST;
        }
    };

    /** Sends the releases and counts the pauses; never waits for a reply. */
    private final ScheduledThreadPoolExecutor sender =
            new ScheduledThreadPoolExecutor(1, GivenUp::daemon, new ThreadPoolExecutor.DiscardPolicy());

    private final BiFunction<LockKey, LockId, CompletionStage<?>> release;

    /**
     * Creates an empty set.
     *
     * @param release sends the release of an id, and completes exceptionally if it was not answered
     */
    GivenUp(BiFunction<LockKey, LockId, CompletionStage<?>> release) {
        this.release = release;
        sender.setKeepAliveTime(10, TimeUnit.SECONDS);
        sender.allowCoreThreadTimeOut(true);
    }

    synchronized void add(LockId lockId, LockKey key) {
        undos.put(lockId, new Undo(key, lockId));
    }

    /** Forgets an id under which somebody asks again. */
    synchronized void remove(LockId lockId) {
        undos.remove(lockId);
    }

    /** Releases an id in the background, if it was given up. */
    synchronized void undo(LockId lockId) {
        Undo undo = undos.get(lockId);
        if (undo != null) {
            undo.request();
        }
    }

    /** Releases all in the background: messages may have been missed. */
    synchronized void undoAll() {
        undos.values().forEach(Undo::request);
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

    /** The releases of one id: one at a time, and another one if it was asked for after the last one was sent. */
    private final class Undo {

        private final LockKey key;
        private final LockId lockId;
        private boolean requested;
        private boolean underWay;

        Undo(LockKey key, LockId lockId) {
            this.key = key;
            this.lockId = lockId;
        }

        void request() {
            requested = true;
            if (!underWay) {
                underWay = true;
                sender.execute(() -> attempt(1));
            }
        }

        private void attempt(int made) {
            synchronized (GivenUp.this) {
                if (undos.get(lockId) != this) {
                    return;
                }
                requested = false;
            }
            sent().whenComplete((answer, failure) -> finished(made, failure));
        }

        private CompletionStage<?> sent() {
            try {
                return release.apply(key, lockId);
            } catch (RuntimeException e) { // a release that could not be sent is repeated as well
                return CompletableFuture.failedFuture(e);
            }
        }

        private void finished(int made, @Nullable Throwable failure) {
            synchronized (GivenUp.this) {
                boolean repeats = failure != null && made < ATTEMPTS;
                underWay = repeats || requested;
                if (repeats) {
                    long pause = Math.min(LONGEST_PAUSE_MILLIS, 10L << Math.min(made, 10));
                    var unused = sender.schedule(() -> attempt(made + 1), pause, TimeUnit.MILLISECONDS);
                } else if (requested) {
                    sender.execute(() -> attempt(1));
                }
            }
            if (failure != null && made == ATTEMPTS) {
                LOGGER.log(
                        Level.WARNING,
                        "lock '" + key + "' may be taken for its ttl by a request that was given up",
                        failure);
            }
        }
    }
}
