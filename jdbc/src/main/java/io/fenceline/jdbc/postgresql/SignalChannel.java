package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.spi.ReleaseSignals.Signal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The waiters of one lock. Guarded by the lock of {@link PostgresSignals}. */
final class SignalChannel {

    private static final int REFUSALS_KEPT = 64;

    private final LockKey key;
    private final SignalId id;
    private final Map<Object, Waiter> waiters = new LinkedHashMap<>();
    private final Map<LockId, Long> refusals = new LinkedHashMap<>();
    private boolean listening;
    private long heard;
    private long unusedSinceNanos;
    private int passedOver;
    private long passOverUntilNanos;

    SignalChannel(LockTable table, LockKey key) {
        this.key = key;
        this.id = SignalId.of(table, key);
    }

    /** A subscription. */
    private record Waiter(LockId id, Consumer<Signal> listener) {}

    SignalId id() {
        return id;
    }

    boolean isListening() {
        return listening;
    }

    void deaf() {
        listening = false;
    }

    long heard() {
        return heard;
    }

    /** Notes that the connection listens now; a signal may have been missed. Returns the listeners to notify. */
    List<Consumer<Signal>> listens() {
        listening = true;
        heard++;
        return listeners();
    }

    /** Notes a signal; returns the listeners to notify. */
    List<Consumer<Signal>> hear(long nowNanos) {
        heard++;
        if (passedOver > 0 && nowNanos - passOverUntilNanos < 0) {
            passedOver--;
            return List.of();
        }
        return listeners();
    }

    private List<Consumer<Signal>> listeners() {
        return waiters.values().stream().map(Waiter::listener).toList();
    }

    /**
     * Notes that the lock was handed over to somebody. A waiter that has not subscribed yet is told when it does, since a signal came.
     *
     * @param message lock id, token, number of tokens, begin, end and holder
     * @return what to tell whom in this process, if it is for one here
     */
    Optional<Runnable> handedOver(String message) {
        heard++;
        String[] parts = message.split(" ", 6);
        return waiters.values().stream()
                .filter(waiter -> waiter.id().text().equals(parts[0]))
                .findFirst()
                .map(waiter -> {
                    Signal signal = new Signal.HandedOver(new Grant(
                            key,
                            waiter.id(),
                            Holder.of(parts[5]),
                            FencingToken.of(Long.parseLong(parts[1])),
                            Integer.parseInt(parts[2]),
                            Instant.parse(parts[3]),
                            Instant.parse(parts[4])));
                    return () -> waiter.listener().accept(signal);
                });
    }

    /** Ignores the next signals until a time. */
    void passOver(int signals, long untilNanos) {
        passedOver = signals;
        passOverUntilNanos = untilNanos;
    }

    void add(Object subscription, LockId waiter, Consumer<Signal> listener) {
        waiters.put(subscription, new Waiter(waiter, listener));
    }

    void remove(Object subscription, long nowNanos) {
        if (waiters.remove(subscription) != null && waiters.isEmpty()) {
            unusedSinceNanos = nowNanos;
        }
    }

    boolean isUnused(long sinceNanos) {
        return waiters.isEmpty() && unusedSinceNanos - sinceNanos <= 0;
    }

    /** Those who never subscribe are forgotten; to forget one who does costs it a needless attempt. */
    void refused(LockId waiter, long heardBefore) {
        refusals.put(waiter, heardBefore);
        if (refusals.size() > REFUSALS_KEPT) {
            refusals.remove(refusals.keySet().iterator().next());
        }
    }

    /** Whether a signal came since the waiter asked, or may have come. */
    boolean mayHaveMissed(LockId waiter) {
        Long before = refusals.remove(waiter);
        return before == null || before != heard;
    }
}
