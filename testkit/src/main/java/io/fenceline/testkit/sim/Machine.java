package io.fenceline.testkit.sim;

import io.fenceline.time.Delays;
import io.fenceline.time.TimeSource;

/** The machine of a simulated process: clocks, and whether its threads may run. */
final class Machine implements Delays {

    /** Waits are cut to this, so that adding them to a clock cannot overflow. */
    private static final long LONGEST_WAIT_NANOS = 3_600_000_000_000L;

    private final Scheduler scheduler;
    private final Clock clock;
    private long stoppedUntilNanos;
    private boolean dead;

    Machine(Scheduler scheduler, Clock clock) {
        this.scheduler = scheduler;
        this.clock = clock;
    }

    Clock clock() {
        return clock;
    }

    TimeSource time() {
        return new TimeSource(clock, clock, this);
    }

    @Override
    public void park(long nanos) throws InterruptedException {
        SimulatedThread.current().park(clock.trueNanos(Math.min(nanos, LONGEST_WAIT_NANOS)));
    }

    @Override
    public void wake(Thread thread) {
        ((SimulatedThread) thread).unpark();
    }

    /** Stops all threads for a while, as SIGSTOP does; the clocks continue. */
    void stopFor(long nanos) {
        stoppedUntilNanos = Math.max(stoppedUntilNanos, scheduler.nowNanos() + nanos);
    }

    /** Stops all threads and the ticker for a while, as closing a laptop does; the wall clock continues. */
    void sleepFor(long nanos) {
        stopFor(nanos);
        clock.fallAsleep();
        scheduler.after(nanos, clock::wakeUp);
    }

    boolean isStopped() {
        return stoppedForNanos() > 0;
    }

    long stoppedForNanos() {
        return stoppedUntilNanos - scheduler.nowNanos();
    }

    /** Ends all threads where they are. */
    void die() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }
}
