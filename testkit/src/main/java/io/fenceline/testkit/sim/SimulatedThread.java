package io.fenceline.testkit.sim;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One thread of a simulated process. */
final class SimulatedThread extends Thread {

    /** The work of a task; it may wait. */
    @FunctionalInterface
    interface Body {
        void run() throws InterruptedException;
    }

    private static final Duration PROMPT = Duration.ofNanos(50_000);
    private static final Duration SLUGGISH = Duration.ofMillis(2);
    private static final Duration STARVED = Duration.ofMillis(20);
    private static final double FOR_NO_REASON = 0.02;

    private final Scheduler scheduler;
    private final Chance chance;
    private final Machine machine;
    private final Body body;
    private final Semaphore baton = new Semaphore(0);
    private @Nullable Timer resume;
    private boolean waiting = true;
    private boolean parked;
    private boolean permit;

    SimulatedThread(String name, Scheduler scheduler, Chance chance, Machine machine, Body body) {
        super(name);
        setDaemon(true);
        this.scheduler = scheduler;
        this.chance = chance;
        this.machine = machine;
        this.body = body;
    }

    static SimulatedThread current() {
        return (SimulatedThread) currentThread();
    }

    @Override
    public void run() {
        baton.acquireUninterruptibly();
        if (scheduler.isOver()) {
            return;
        }
        try {
            body.run();
        } catch (SimulationOver e) {
            return;
        } catch (Throwable e) {
            scheduler.fail(e);
        }
        scheduler.passOn();
    }

    /** Waits as {@link io.fenceline.time.Delays#park} says, by true time. */
    void park(long nanos) throws InterruptedException {
        if (interrupted()) {
            throw new InterruptedException();
        }
        if (nanos > 0 && !permit) {
            parked = true;
            giveWay(chance.of(FOR_NO_REASON) ? (long) (nanos * chance.fraction()) : nanos);
            parked = false;
        }
        permit = false;
        if (interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Ends the present or the next park. */
    void unpark() {
        permit = true;
        if (parked) {
            resumeSoon();
        }
    }

    /** Waits, undisturbed by {@link #unpark}, until something has happened, time is over, or the task is interrupted. */
    void await(BooleanSupplier happened, long nanos) {
        long until = scheduler.nowNanos() + nanos;
        while (!happened.getAsBoolean() && !isInterrupted() && until - scheduler.nowNanos() > 0) {
            giveWay(until - scheduler.nowNanos());
        }
    }

    /** Interrupts the task; one that waits notices it soon. Also called by a semaphore that keeps the interrupt for later. */
    @Override
    public void interrupt() {
        super.interrupt();
        resumeSoon();
    }

    /** Ends a wait earlier than planned. Does nothing to a task that does not wait. */
    void resumeSoon() {
        if (waiting && !scheduler.isOver()) {
            resumeAfter(0);
        }
    }

    private void giveWay(long nanos) {
        if (scheduler.isOver()) {
            throw new SimulationOver();
        }
        waiting = true;
        resume = null;
        resumeAfter(nanos);
        scheduler.passOn();
        baton.acquireUninterruptibly();
        if (scheduler.isOver()) {
            throw new SimulationOver();
        }
    }

    private void resumeAfter(long nanos) {
        long delay = nanos + latency();
        if (resume != null && resume.atNanos - scheduler.nowNanos() <= delay) {
            return;
        }
        if (resume != null) {
            resume.cancel();
        }
        resume = scheduler.after(delay, this::resumeUnlessStopped);
    }

    /** A stopped process can be resumed, a dead one cannot. */
    private void resumeUnlessStopped() {
        resume = null;
        if (machine.isStopped()) {
            resumeAfter(machine.stoppedForNanos());
        } else if (!machine.isDead()) {
            waiting = false;
            scheduler.handOverTo(this);
        }
    }

    /** How long a runnable thread waits for a processor. */
    private long latency() {
        double kind = chance.fraction();
        Duration longest = kind < 0.9 ? PROMPT : kind < 0.99 ? SLUGGISH : STARVED;
        return chance.nanosBetween(Duration.ZERO, longest);
    }

    void takeBaton() {
        baton.release();
    }

    void awaitEnd() {
        try {
            join(10_000);
        } catch (InterruptedException e) {
            currentThread().interrupt();
        }
    }
}
