package io.fenceline.testkit;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;

/** A fault plan that is written in advance: for each operation, what happens the next time, the time after, and from then on. */
public final class FaultScript implements FaultPlan {

    private final Map<BackendOperation, Queue<Fault>> next = new EnumMap<>(BackendOperation.class);
    private final Map<BackendOperation, Fault> otherwise = new EnumMap<>(BackendOperation.class);

    /** Creates a script in which nothing goes wrong. */
    public FaultScript() {}

    /**
     * Adds what happens to one more operation of a kind.
     *
     * @param operation the kind
     * @param fault what happens to it
     * @return this script
     */
    public FaultScript next(BackendOperation operation, Fault fault) {
        return times(1, operation, fault);
    }

    /**
     * Adds what happens to several more operations of a kind.
     *
     * @param times how many
     * @param operation the kind
     * @param fault what happens to each
     * @return this script
     */
    public synchronized FaultScript times(int times, BackendOperation operation, Fault fault) {
        Queue<Fault> queue = next.computeIfAbsent(operation, unused -> new ArrayDeque<>());
        for (int i = 0; i < times; i++) {
            queue.add(fault);
        }
        return this;
    }

    /**
     * Sets what happens to a kind of operation whenever nothing else is written for it.
     *
     * @param operation the kind
     * @param fault what happens; {@link Fault#none()} to heal it
     * @return this script
     */
    public synchronized FaultScript always(BackendOperation operation, Fault fault) {
        otherwise.put(operation, fault);
        return this;
    }

    /**
     * Sets what happens to every operation from now on, and drops all that was written before.
     *
     * @param fault what happens; {@link Fault#none()} ends an outage
     * @return this script
     */
    public synchronized FaultScript everything(Fault fault) {
        next.clear();
        for (BackendOperation operation : BackendOperation.values()) {
            otherwise.put(operation, fault);
        }
        return this;
    }

    @Override
    public synchronized Fault next(BackendOperation operation) {
        Queue<Fault> queue = next.get(operation);
        Fault scripted = queue == null ? null : queue.poll();
        return scripted == null ? otherwise.getOrDefault(operation, Fault.none()) : scripted;
    }
}
