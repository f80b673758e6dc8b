package io.fenceline.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Simulated time, and the baton that makes one thread run at a time.
 *
 * <p>Whoever has the baton may use everything in the simulation. A task that must wait runs due events itself until one of
 * them resumes a task, and hands it the baton; so a task that resumes itself costs no switch of threads. The semaphores
 * through which the baton goes are what makes one thread's writes visible to the next.
 */
final class Scheduler {

    /** A run takes a fraction of a second; one that takes so long has a thread that waits for something real. */
    private static final long PATIENCE_SECONDS = 60;

    private final PriorityQueue<Timer> due = new PriorityQueue<>();
    private final List<SimulatedThread> tasks = new ArrayList<>();
    private final Semaphore finished = new Semaphore(0);
    private long nowNanos;
    private long timers;
    private @Nullable SimulatedThread next;
    private @Nullable Throwable failure;
    private volatile boolean over;

    /** True time, which no simulated clock shows exactly. */
    long nowNanos() {
        return nowNanos;
    }

    boolean isOver() {
        return over;
    }

    Timer after(long nanos, Runnable action) {
        Timer timer = new Timer(nowNanos + Math.max(0, nanos), timers++, action);
        if (!over) {
            due.add(timer);
        }
        return timer;
    }

    void start(SimulatedThread task) {
        tasks.add(task);
        task.start();
        task.resumeSoon();
    }

    /** Lets a task run as soon as the present event is done; one task for each event. */
    void handOverTo(SimulatedThread task) {
        next = task;
    }

    /** Ends the simulation after the present event. */
    void stop() {
        over = true;
    }

    void fail(Throwable cause) {
        if (failure == null && !over) {
            failure = cause;
        }
        stop();
    }

    /** Runs events until one resumes a task, and hands over the baton. */
    void passOn() {
        while (!over && !due.isEmpty()) {
            Timer timer = due.poll();
            if (timer.isCancelled()) {
                continue;
            }
            nowNanos = timer.atNanos;
            try {
                timer.action.run();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
            SimulatedThread resumed = next;
            if (resumed != null && !over) {
                next = null;
                resumed.takeBaton();
                return;
            }
        }
        over = true;
        finished.release();
    }

    /** Runs until somebody stops it or nothing is left to happen; then ends all tasks. Called once. */
    void run() {
        passOn();
        boolean inTime = awaitFinish();
        over = true;
        IllegalStateException stuck = inTime ? null : stuck();
        tasks.forEach(SimulatedThread::takeBaton);
        if (stuck != null) {
            throw stuck;
        }
        tasks.forEach(SimulatedThread::awaitEnd);
    }

    /** What a task or an event threw, which ended the run. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    private boolean awaitFinish() {
        try {
            return finished.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private IllegalStateException stuck() {
        IllegalStateException stuck =
                new IllegalStateException("a thread of the simulation waits for something outside of it");
        for (SimulatedThread task : tasks) {
            Throwable where = new Throwable(task.getName() + " is " + task.getState());
            where.setStackTrace(task.getStackTrace());
            stuck.addSuppressed(where);
        }
        return stuck;
    }
}
