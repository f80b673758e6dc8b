package io.fenceline.redis;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.ReplyDeadline;
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
 * Client side of the wait queue: the waiters of this process, and the one channel on which the store notifies them of their grants.
 *
 * <p>A waiter is registered before its request is sent, so a message that overtakes the reply finds it. A signal is kept until the
 * waiter subscribes. No waiter enters the queue while the subscription is not confirmed. After an interruption of the subscription,
 * all waiters are signalled to retry.
 *
 * <p>A request without a reply may be executed later, also after its lock id was given up and released. If it enters the queue then,
 * a release hands the lock to an id without a waiter. {@link AbandonedRequests} remembers such ids and releases what is handed to
 * them.
 */
final class WaitQueueClient implements ReleaseSignals, RedisLink.Listener, AutoCloseable {

    private static final Signal RELEASED = new Signal.Released();

    /** A short name suffices: a message for another process of the same name finds no waiter here. */
    private static final int NAME_LENGTH = 6;

    /** Second word of the message that the running lease ends sooner than the waiter knows. */
    private static final String SOONER = "sooner";

    private final String name = LockId.random().text().substring(0, NAME_LENGTH);
    private final Map<LockId, Waiter> waiters = new ConcurrentHashMap<>();
    private final RedisLink link;
    private final String channel;
    private final boolean handsOver;
    private final AbandonedRequests abandoned;

    /** Runs listeners, which may block on the store; a driver thread must not. */
    private final ThreadPoolExecutor notifier = new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            WaitQueueClient::daemon,
            new ThreadPoolExecutor.DiscardPolicy());

    /** Without {@code handsOver} a waiter is only woken and asks for its grant, since a message proves no acknowledgement. */
    WaitQueueClient(RedisLink link, LockNames names, boolean handsOver, AbandonedRequests abandoned) {
        this.link = link;
        this.channel = names.channel(name);
        this.handsOver = handsOver;
        this.abandoned = abandoned;
        notifier.allowCoreThreadTimeOut(true);
    }

    /** The channel name, as sent in requests. */
    String name() {
        return name;
    }

    /** Registers a waiter. Returns false without an active subscription. */
    boolean register(ReplyDeadline deadline, AcquireRequest request) {
        if (!link.isListening()) {
            link.listen(deadline, channel, this);
        }
        boolean listening = link.isListening();
        if (listening) {
            waiters.computeIfAbsent(request.lockId(), id -> new Waiter(request.key(), id))
                    .expect(request.holder());
        }
        return listening;
    }

    /** Records a request without a reply, which may be executed later. */
    void unanswered(LockKey key, LockId lockId) {
        waiters.compute(lockId, (id, known) -> (known == null ? new Waiter(key, id) : known).unanswered());
    }

    /** Records that a waiter has left the queue. */
    void leave(LockId lockId) {
        waiters.computeIfPresent(lockId, (id, waiter) -> waiter.leave());
    }

    /** Records that a lock id is about to be released and is not used again. */
    void giveUp(LockId lockId) {
        Waiter waiter = waiters.remove(lockId);
        if (waiter != null && waiter.unanswered) {
            abandoned.add(lockId, waiter.key);
        }
    }

    /** Forgets a lock id whose lease is kept. It is not abandoned: to undo it would end the rest. */
    void forget(LockId lockId) {
        waiters.remove(lockId);
    }

    @Override
    public Subscription subscribe(LockKey key, LockId lockId, Consumer<Signal> listener) {
        Waiter waiter = waiters.computeIfAbsent(lockId, id -> new Waiter(key, id));
        waiter.listen(listener);
        return () -> waiters.computeIfPresent(lockId, (id, known) -> known == waiter ? waiter.unsubscribe() : known);
    }

    @Override
    public void message(String text) {
        String[] parts = text.split(" ", -1);
        boolean handsOver = parts.length == 5;
        LockId lockId = handsOver || (parts.length == 2 && parts[1].equals(SOONER)) ? LockId.parse(parts[0]) : null;
        Waiter waiter = lockId == null ? null : waiters.get(lockId);
        if (waiter != null && handsOver) {
            waiter.handOver(
                    Long.parseLong(parts[1]),
                    Integer.parseInt(parts[2]),
                    Long.parseLong(parts[3]),
                    Long.parseLong(parts[4]));
        } else if (waiter != null) {
            waiter.missed(); // it stays in the queue and learns the new end
        } else if (handsOver && lockId != null) {
            abandoned.undo(lockId);
        }
    }

    @Override
    public void resumed() {
        waiters.values().forEach(Waiter::missed);
        abandoned.undoAll();
    }

    @Override
    public void close() {
        waiters.clear();
        notifier.shutdownNow();
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
            return unlessIdle();
        }

        /** Ends the subscription. A waiter that may be queued stays registered until it is released. */
        synchronized @Nullable Waiter unsubscribe() {
            listener = null;
            return unlessIdle();
        }

        private @Nullable Waiter unlessIdle() {
            return holder == null && listener == null && !unanswered ? null : this;
        }

        /** Subscribes. A waiter outside of the queue may have missed a release and will get no message, so it is signalled at once. */
        synchronized void listen(Consumer<Signal> target) {
            listener = target;
            Signal first = kept != null ? kept : holder == null ? RELEASED : null;
            kept = null;
            if (first != null) {
                signal(first);
            }
        }

        synchronized void handOver(long token, int tokens, long fromMicros, long untilMicros) {
            Holder asked = holder;
            if (asked == null) {
                missed(); // it holds the lock, or learns so from its next request
            } else {
                holder = null;
                signal(
                        handsOver
                                ? new Signal.HandedOver(new Grant(
                                        key,
                                        lockId,
                                        asked,
                                        FencingToken.of(token),
                                        tokens,
                                        RedisReplies.time(fromMicros),
                                        RedisReplies.time(untilMicros)))
                                : RELEASED);
            }
        }

        synchronized void missed() {
            if (kept == null) {
                signal(RELEASED);
            }
        }

        /** Signals the listener, or keeps the signal for it. */
        private void signal(Signal signal) {
            if (listener == null) {
                kept = signal;
            } else {
                notifier.execute(() -> {
                    Consumer<Signal> target = listener;
                    if (target != null) {
                        target.accept(signal);
                    }
                });
            }
        }
    }
}
