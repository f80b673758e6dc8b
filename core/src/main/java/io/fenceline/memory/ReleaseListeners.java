package io.fenceline.memory;

import io.fenceline.LockKey;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.ReleaseSignals.Subscription;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The listeners for releases, by lock key. Listeners are called by the releasing thread, outside of any lock. */
final class ReleaseListeners {

    private static final Signal RELEASED = new Signal.Released();

    private final ConcurrentHashMap<LockKey, List<Listening>> byKey = new ConcurrentHashMap<>();

    /**
     * Adds a listener.
     *
     * @param owner whose closing ends the listening
     * @param key what to listen for
     * @param listener told of each release
     * @return what ends it
     */
    Subscription add(Object owner, LockKey key, Consumer<Signal> listener) {
        Listening listening = new Listening(owner, key, listener);
        byKey.compute(key, (unused, known) -> {
            List<Listening> all = known == null ? new CopyOnWriteArrayList<>() : known;
            all.add(listening);
            return all;
        });
        return listening;
    }

    void removeAllOf(Object owner) {
        for (List<Listening> all : byKey.values()) {
            all.stream().filter(listening -> listening.owner == owner).forEach(Listening::close);
        }
    }

    boolean anyFor(LockKey key) {
        return byKey.containsKey(key);
    }

    void tellReleased(LockKey key) {
        if (byKey.isEmpty()) {
            return;
        }
        List<Listening> waiters = byKey.get(key);
        if (waiters != null) {
            waiters.forEach(Listening::tellReleased);
        }
    }

    private final class Listening implements Subscription {
        private final Object owner;
        private final LockKey key;
        private final Consumer<Signal> listener;
        private volatile boolean ended;

        Listening(Object owner, LockKey key, Consumer<Signal> listener) {
            this.owner = owner;
            this.key = key;
            this.listener = listener;
        }

        void tellReleased() {
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
