package io.fenceline.benchmarks.worker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The worker JVMs of a run. They are kept from round to round, so that their code stays compiled. For one thread, except
 * that another may close it.
 */
public final class Crew implements AutoCloseable {

    private final List<WorkerJvm> jvms = new CopyOnWriteArrayList<>();

    /** Returns that many workers, with new ones for those that have died. */
    public List<WorkerJvm> of(int size) {
        jvms.removeIf(jvm -> !jvm.isAlive());
        while (jvms.size() < size) {
            jvms.add(WorkerJvm.start());
        }
        return List.copyOf(jvms.subList(0, size));
    }

    /** Returns one worker. */
    public WorkerJvm one() {
        return of(1).get(0);
    }

    @Override
    public void close() {
        jvms.forEach(WorkerJvm::close);
        jvms.clear();
    }
}
