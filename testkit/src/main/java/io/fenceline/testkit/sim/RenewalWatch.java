package io.fenceline.testkit.sim;

import io.fenceline.Locks;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the due steps of one client, as the production watch does with its renewal threads: while one task waits for a renewal,
 * another is on duty.
 */
final class RenewalWatch {

    /** The production watch looks up as often while a lease is held. */
    private static final Duration LOOK_UP = Duration.ofSeconds(1);

    private static final Duration UNTIL_WOKEN = Duration.ofDays(1);

    private final Locks locks;
    private final Machine machine;
    private final Function<SimulatedThread.Body, SimulatedThread> threads;
    private final Deque<SimulatedThread> idle = new ArrayDeque<>();
    private @Nullable SimulatedThread onDuty;

    /** Creates a watch that is off duty. */
    RenewalWatch(Locks locks, Machine machine, Function<SimulatedThread.Body, SimulatedThread> threads) {
        this.locks = locks;
        this.machine = machine;
        this.threads = threads;
    }

    void begin() {
        onDuty = threads.apply(this::run);
    }

    /** Something may be due earlier than was known. */
    void wake() {
        if (onDuty != null) {
            onDuty.unpark();
        }
    }

    /** The calling task is going to wait; if it is the one on duty, another takes over. */
    void relieve() {
        if (SimulatedThread.current() == onDuty) {
            onDuty = idle.isEmpty() ? threads.apply(this::run) : idle.poll();
            onDuty.unpark();
        }
    }

    private void run() throws InterruptedException {
        SimulatedThread self = SimulatedThread.current();
        while (true) {
            Duration pause = UNTIL_WOKEN;
            if (self == onDuty) {
                Duration next = locks.runDueSteps();
                boolean anyHeld = !next.equals(Locks.NOTHING_DUE);
                pause = anyHeld && next.compareTo(LOOK_UP) > 0 ? LOOK_UP : next;
            }
            if (self != onDuty) {
                idle.add(self);
                pause = UNTIL_WOKEN;
            }
            machine.park(Math.max(1, pause.toNanos()));
            idle.remove(self);
        }
    }
}
