package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.ListenConnectionSource;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.WaiterSignals;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions to the releases of locks. What happens on the connection is {@link SignalReader}'s, whose thread runs while there
 * is something to listen for and some seconds longer.
 *
 * <p>A channel is wanted from its first subscription on, is listened to when the reader gets to it, and is dropped when nobody
 * has used it for a while. When the reader begins to listen, also after it had lost its connection, it tells all waiters once:
 * a release from before would else be missed.
 */
final class PostgresSignals implements WaiterSignals {

    private static final Logger LOGGER = System.getLogger(PostgresSignals.class.getName());
    private static final Duration LINGER = Duration.ofSeconds(2);
    private static final Duration KEEP_CONNECTION = Duration.ofSeconds(3);
    private static final Duration LONGEST_END = Duration.ofMillis(500);

    private final LockTable table;
    private final ListenConnectionSource line;
    private final ThreadFactory threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<LockKey, SignalChannel> channels = new HashMap<>();
    private final Map<String, SignalChannel> byName = new HashMap<>();
    private @Nullable Thread reader;
    private boolean closed;
    private volatile int listener;

    PostgresSignals(LockTable table, ListenConnectionSource line) {
        this(table, line, PostgresSignals::daemon);
    }

    PostgresSignals(LockTable table, ListenConnectionSource line, ThreadFactory threads) {
        this.table = table;
        this.line = line;
        this.threads = threads;
    }

    @Override
    public Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener) {
        Object subscription = new Object();
        boolean tellNow;
        lock.lock();
        try {
            if (closed) {
                return () -> {};
            }
            SignalChannel channel = channels.computeIfAbsent(key, this::newChannel);
            channel.add(subscription, listener);
            tellNow = channel.isListening() && channel.mayHaveMissed(waiter);
            if (!channel.isListening()) {
                letReaderWork();
            }
        } finally {
            lock.unlock();
        }
        if (tellNow) {
            listener.accept(new Signal.Released());
        }
        return () -> unsubscribe(key, subscription);
    }

    private SignalChannel newChannel(LockKey key) {
        SignalChannel channel = new SignalChannel(SignalId.of(table, key));
        byName.put(channel.id().channel(), channel);
        return channel;
    }

    private void unsubscribe(LockKey key, Object subscription) {
        lock.lock();
        try {
            SignalChannel channel = channels.get(key);
            if (channel != null) {
                channel.remove(subscription, System.nanoTime());
            }
        } finally {
            lock.unlock();
        }
    }

    private void letReaderWork() {
        if (reader == null) {
            startReader();
        }
        changed.signalAll();
        line.wake();
    }

    /** If no thread can be started, waiters poll, and the next one that comes tries again. */
    private void startReader() {
        Thread started = threads.newThread(new SignalReader(this, line));
        try {
            started.start();
            reader = started;
        } catch (OutOfMemoryError noThread) {
            LOGGER.log(Level.DEBUG, "cannot start a thread for signals; waiters poll meanwhile", noThread);
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fenceline-signals");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public long heard(LockKey key) {
        lock.lock();
        try {
            SignalChannel channel = channels.get(key);
            return channel != null && channel.isListening() ? channel.heard() : DEAF;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void refused(LockKey key, LockId waiter, long heardBefore) {
        lock.lock();
        try {
            SignalChannel channel = channels.get(key);
            if (channel != null && heardBefore != DEAF) {
                channel.refused(waiter, heardBefore);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void yielded(LockKey key, int others, Duration pause) {
        lock.lock();
        try {
            SignalChannel channel = channels.get(key);
            if (channel != null) {
                channel.passOver(others - 1, System.nanoTime() + pause.toNanos());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Also waits until the connection is given back, since its owner may close the pool next. Not for long: the server may be silent. */
    @Override
    public void close() {
        Thread ending;
        lock.lock();
        try {
            closed = true;
            channels.clear();
            byName.clear();
            changed.signalAll();
            line.wake();
            ending = reader;
        } finally {
            lock.unlock();
        }
        if (ending != null) {
            awaitEnd(ending);
        }
    }

    private static void awaitEnd(Thread reader) {
        try {
            reader.join(LONGEST_END.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until there is something to listen for. If there is nothing for long, the reader ends. */
    boolean awaitWork() throws InterruptedException {
        lock.lock();
        try {
            long left = KEEP_CONNECTION.toNanos();
            while (channels.isEmpty() && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (channels.isEmpty() || closed) {
                reader = null;
                return false;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The reader's thread ends for a reason that nobody foresaw; the next subscription starts another. */
    void readerEnded() {
        lock.lock();
        try {
            if (reader == Thread.currentThread()) {
                reader = null;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int listener() {
        return listener;
    }

    /** There is a new connection; the number is what the server knows it by. */
    void connected(int number) {
        listener = number;
    }

    /** The connection is gone. */
    void deaf() {
        listener = 0;
        lock.lock();
        try {
            channels.values().forEach(SignalChannel::deaf);
        } finally {
            lock.unlock();
        }
    }

    /** Waits before the next connection is tried. */
    void pause(Duration pause) throws InterruptedException {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    List<SignalId> wanted(int limit) {
        lock.lock();
        try {
            return channels.values().stream()
                    .filter(channel -> !channel.isListening())
                    .map(SignalChannel::id)
                    .limit(limit)
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the channels that were not used for a while, for the reader to stop listening to them. */
    List<SignalId> dropUnused(int limit) {
        lock.lock();
        try {
            long since = System.nanoTime() - LINGER.toNanos();
            List<SignalId> unused = new ArrayList<>();
            channels.values().removeIf(channel -> {
                boolean drop = unused.size() < limit && channel.isUnused(since);
                if (drop) {
                    byName.remove(channel.id().channel());
                    if (channel.isListening()) {
                        unused.add(channel.id());
                    }
                }
                return drop;
            });
            return unused;
        } finally {
            lock.unlock();
        }
    }

    /** The reader begins to listen. */
    void listens(String name) {
        tell(name, SignalChannel::listens);
    }

    /** A notification came. */
    void hear(String name) {
        tell(name, channel -> channel.hear(System.nanoTime()));
    }

    private void tell(String name, Function<SignalChannel, List<Consumer<Signal>>> event) {
        List<Consumer<Signal>> listeners;
        lock.lock();
        try {
            SignalChannel channel = byName.get(name);
            listeners = channel == null ? List.of() : event.apply(channel);
        } finally {
            lock.unlock();
        }
        listeners.forEach(listener -> listener.accept(new Signal.Released()));
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }
}
