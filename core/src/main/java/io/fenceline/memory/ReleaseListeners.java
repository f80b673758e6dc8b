package io.fenceline.memory;

import io.fenceline.LockKey;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.ReleaseSignals.Subscription;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Release listeners by lock key. They are called by the releasing thread, outside of any lock. */
final class ReleaseListeners {

    private static final Signal RELEASED = new Signal.Released();

    private final ConcurrentHashMap<LockKey, List<KeySubscription>> byKey = new ConcurrentHashMap<>();

    /** Adds a listener, until {@link #removeAllOf} its owner. */
    Subscription add(Object owner, LockKey key, Consumer<Signal> listener) {
        KeySubscription subscription = new KeySubscription(owner, key, listener);
        byKey.compute(key, (unused, known) -> {
            List<KeySubscription> all = known == null ? new CopyOnWriteArrayList<>() : known;
            all.add(subscription);
            return all;
        });
        return subscription;
    }

    void removeAllOf(Object owner) {
        for (List<KeySubscription> all : byKey.values()) {
            all.stream().filter(subscription -> subscription.owner == owner).forEach(KeySubscription::close);
        }
    }

    boolean anyFor(LockKey key) {
        return byKey.containsKey(key);
    }

    void signalReleased(LockKey key) {
        if (byKey.isEmpty()) {
            return;
        }
        List<KeySubscription> waiters = byKey.get(key);
        if (waiters != null) {
            waiters.forEach(KeySubscription::signalReleased);
        }
    }

    private final class KeySubscription implements Subscription {
        private final Object owner;
        private final LockKey key;
        private final Consumer<Signal> listener;
        private volatile boolean ended;

        KeySubscription(Object owner, LockKey key, Consumer<Signal> listener) {
            this.owner = owner;
            this.key = key;
            this.listener = listener;
        }

        void signalReleased() {
            if (!ended) {
                listener.accept(RELEASED);
            }
        }

        @Override
        public void close() {
            ended = true;
            byKey.computeIfPresent(key, (unused, all) -> {
                all.remove(this);
                return all.isEmpty() ? null : all;
            });
        }
    }
}
