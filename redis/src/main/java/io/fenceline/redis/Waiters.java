package io.fenceline.redis;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.ReleaseSignals;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Client side of the wait queue: the waiters of this process, and the one channel on which the store tells them that a lock is
 * theirs.
 *
 * <p>A waiter is known here from before its request is sent, so a message that overtakes the reply finds it; what came before
 * the waiter listens is kept. Nobody enters a queue while the channel is not confirmed. After the channel was away, everybody is
 * told to ask again.
 *
 * <p>A request without a reply may be executed at any later time, also after its lock id was given up and released. If it enters the
 * queue then, a release hands the lock to an id that nobody waits under. So ids that were given up with such a request are
 * remembered, and what is handed to one of them is released.
 */
final class Waiters implements ReleaseSignals, RedisLink.Listener, AutoCloseable {

    private static final Signal RELEASED = new Signal.Released();

    /** Messages are told to one another by processes, so a short name will do; a stranger's message finds no waiter. */
    private static final int NAME_LENGTH = 6;

    private final String name = LockId.random().text().substring(0, NAME_LENGTH);
    private final Map<LockId, Waiter> waiting = new ConcurrentHashMap<>();
    private final RedisLink link;
    private final String channel;
    private final boolean tellsGrants;
    private final GivenUp givenUp;

    /** Listeners may ask the store, which a thread of the driver must not wait for. */
    private final ThreadPoolExecutor teller = new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Waiters::daemon,
            new ThreadPoolExecutor.DiscardPolicy());

    /**
     * Creates the client side of the queue.
     *
     * @param tellsGrants false if a grant has to be asked for, since a mere message does not show who acknowledged it
     * @param givenUp the ids that nobody waits under any more
     */
    Waiters(RedisLink link, KeyNames names, boolean tellsGrants, GivenUp givenUp) {
        this.link = link;
        this.channel = names.channel(name);
        this.tellsGrants = tellsGrants;
        this.givenUp = givenUp;
        teller.allowCoreThreadTimeOut(true);
    }

    /** The channel's name as requests carry it. */
    String name() {
        return name;
    }

    /** Makes a waiter known, if it can be told. */
    boolean expect(Deadline deadline, AcquireRequest request) {
        if (!link.isListening()) {
            link.listen(deadline, channel, this);
        }
        boolean listening = link.isListening();
        if (listening) {
            waiting.computeIfAbsent(request.lockId(), id -> new Waiter(request.key(), id))
                    .expect(request.holder());
        }
        return listening;
    }

    /** Notes that a request had no reply: it may be executed later. */
    void unanswered(LockKey key, LockId lockId) {
        waiting.compute(lockId, (id, known) -> (known == null ? new Waiter(key, id) : known).unanswered());
    }

    /** Notes that a waiter is not in the queue any more. */
    void leave(LockId lockId) {
        waiting.computeIfPresent(lockId, (id, waiter) -> waiter.leave());
    }

    /** Notes that a lock id is about to be released, and is never used again. */
    void giveUp(LockId lockId) {
        Waiter waiter = waiting.remove(lockId);
        if (waiter != null && waiter.unanswered) {
            givenUp.add(lockId, waiter.key);
        }
    }

    @Override
    public Subscription subscribe(LockKey key, LockId lockId, Consumer<Signal> listener) {
        Waiter waiter = waiting.computeIfAbsent(lockId, id -> new Waiter(key, id));
        waiter.listen(listener);
        return () -> waiting.computeIfPresent(lockId, (id, known) -> known == waiter ? waiter.hush() : known);
    }

    @Override
    public void message(String text) {
        String[] parts = text.split(" ", -1);
        LockId lockId = parts.length == 5 ? LockId.parse(parts[0]) : null;
        Waiter waiter = lockId == null ? null : waiting.get(lockId);
        if (waiter != null) {
            waiter.handOver(
                    Long.parseLong(parts[1]),
                    Integer.parseInt(parts[2]),
                    Long.parseLong(parts[3]),
                    Long.parseLong(parts[4]));
        } else if (lockId != null) {
            givenUp.undo(lockId);
        }
    }

    @Override
    public void resumed() {
        waiting.values().forEach(Waiter::missed);
        givenUp.undoAll();
    }

    @Override
    public void close() {
        waiting.clear();
        teller.shutdownNow();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fenceline-redis-signals");
        thread.setDaemon(true);
        return thread;
    }

    private final class Waiter {
        private final LockKey key;
        private final LockId lockId;
        private @Nullable Holder holder;
        private volatile @Nullable Consumer<Signal> listener;
        private volatile boolean unanswered;
        private @Nullable Signal kept;

        Waiter(LockKey key, LockId lockId) {
            this.key = key;
            this.lockId = lockId;
        }

        synchronized void expect(Holder asking) {
            holder = asking;
        }

        synchronized Waiter unanswered() {
            unanswered = true;
            return this;
        }

        synchronized @Nullable Waiter leave() {
            holder = null;
            return unlessDone();
        }

        /** Ends the listening. Whoever may be in the queue stays known until it is released. */
        synchronized @Nullable Waiter hush() {
            listener = null;
            return unlessDone();
        }

        private @Nullable Waiter unlessDone() {
            return holder == null && listener == null && !unanswered ? null : this;
        }

        /** A waiter that is not in line may have missed a release, and nobody would tell it of the next one. */
        synchronized void listen(Consumer<Signal> told) {
            listener = told;
            Signal first = kept != null ? kept : holder == null ? RELEASED : null;
            kept = null;
            if (first != null) {
                tell(first);
            }
        }

        synchronized void handOver(long token, int tokens, long fromMicros, long untilMicros) {
            Holder asked = holder;
            if (asked == null) {
                missed(); // it holds the lock, or asks again and learns that it does
            } else {
                holder = null;
                tell(
                        tellsGrants
                                ? new Signal.HandedOver(new Grant(
                                        key,
                                        lockId,
                                        asked,
                                        FencingToken.of(token),
                                        tokens,
                                        Replies.time(fromMicros),
                                        Replies.time(untilMicros)))
                                : RELEASED);
            }
        }

        synchronized void missed() {
            if (kept == null) {
                tell(RELEASED);
            }
        }

        /** Keeps the signal for a listener that is still to come. */
        private void tell(Signal signal) {
            if (listener == null) {
                kept = signal;
            } else {
                teller.execute(() -> {
                    Consumer<Signal> told = listener;
                    if (told != null) {
                        told.accept(signal);
                    }
                });
            }
        }
    }
}
