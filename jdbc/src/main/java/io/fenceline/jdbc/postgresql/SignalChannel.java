package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.spi.ReleaseSignals.Signal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The waiters of one lock. Guarded by the lock of {@link PostgresSignals}. */
final class SignalChannel {

    private static final int REFUSALS_KEPT = 64;

    private final SignalId id;
    private final Map<Object, Consumer<Signal>> listeners = new LinkedHashMap<>();
    private final Map<LockId, Long> refusals = new LinkedHashMap<>();
    private boolean listening;
    private long heard;
    private long unusedSinceNanos;
    private int passedOver;
    private long passOverUntilNanos;

    SignalChannel(SignalId id) {
        this.id = id;
    }

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
        return new ArrayList<>(listeners.values());
    }

    /** Notes a signal; returns the listeners to notify. */
    List<Consumer<Signal>> hear(long nowNanos) {
        heard++;
        if (passedOver > 0 && nowNanos - passOverUntilNanos < 0) {
            passedOver--;
            return List.of();
        }
        return new ArrayList<>(listeners.values());
    }

    /** Ignores the next signals until a time. */
    void passOver(int signals, long untilNanos) {
        passedOver = signals;
        passOverUntilNanos = untilNanos;
    }

    void add(Object subscription, Consumer<Signal> listener) {
        listeners.put(subscription, listener);
    }

    void remove(Object subscription, long nowNanos) {
        if (listeners.remove(subscription) != null && listeners.isEmpty()) {
            unusedSinceNanos = nowNanos;
        }
    }

    boolean isUnused(long sinceNanos) {
        return listeners.isEmpty() && unusedSinceNanos - sinceNanos <= 0;
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
