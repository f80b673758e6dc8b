package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lock ids that were given up although a request of theirs had no reply. The server may execute that request at any later time and
 * give the lock to an id that nobody waits under; then it is released here, in the background. The latest {@value #MOST} ids are kept.
 */
final class GivenUp implements AutoCloseable {

    private static final Logger LOGGER = System.getLogger(GivenUp.class.getName());

    private static final int MOST = 1_000;
    private static final int ATTEMPTS = 60;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    private final Map<LockId, LockKey> keys = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<LockId, LockKey> eldest) {
            return size() > MOST;
        }
    };

    private final ScheduledThreadPoolExecutor background =
            new ScheduledThreadPoolExecutor(1, GivenUp::daemon, new ThreadPoolExecutor.DiscardPolicy());

    private final BiConsumer<LockKey, LockId> release;

    /**
     * Creates an empty set.
     *
     * @param release releases an id or throws a {@link BackendException}
     */
    GivenUp(BiConsumer<LockKey, LockId> release) {
        this.release = release;
        background.setKeepAliveTime(10, TimeUnit.SECONDS);
        background.allowCoreThreadTimeOut(true);
        background.setRemoveOnCancelPolicy(true);
    }

    synchronized void add(LockId lockId, LockKey key) {
        keys.put(lockId, key);
    }

    /** Forgets an id under which somebody asks again. */
    synchronized void remove(LockId lockId) {
        keys.remove(lockId);
    }

    /** Releases an id in the background, if it was given up; answers whether it was. */
    boolean undo(LockId lockId) {
        LockKey key = keyOf(lockId);
        if (key != null) {
            background.execute(() -> attempt(key, lockId, 1));
        }
        return key != null;
    }

    /** Releases all in the background: what one of them was given may have been told while nobody heard it. */
    void undoAll() {
        Map<LockId, LockKey> all;
        synchronized (this) {
            all = Map.copyOf(keys);
        }
        all.keySet().forEach(this::undo);
    }

    @Override
    public void close() {
        background.shutdownNow();
    }

    private void attempt(LockKey key, LockId lockId, int made) {
        if (keyOf(lockId) == null) {
            return;
        }
        try {
            release.accept(key, lockId);
        } catch (BackendException e) {
            if (e.code().isTransient() && made < ATTEMPTS) {
                long pause = Math.min(LONGEST_PAUSE_MILLIS, 10L << Math.min(made, 10));
                var unused = background.schedule(() -> attempt(key, lockId, made + 1), pause, TimeUnit.MILLISECONDS);
            } else {
                LOGGER.log(
                        Level.WARNING, "lock '" + key + "' may be taken for its ttl by a request that was given up", e);
            }
        }
    }

    private synchronized @Nullable LockKey keyOf(LockId lockId) {
        return keys.get(lockId);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fenceline-redis-undo");
        thread.setDaemon(true);
        return thread;
    }
}
