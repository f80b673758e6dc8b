package io.fenceline.cli.process;

import static java.util.concurrent.CompletableFuture.delayedExecutor;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.fenceline.cli.process.BootClock.BootTime;
import java.util.function.Consumer;

/** Enforces a deadline from inside this JVM, if there is no watchdog; ineffective while the JVM is stopped or dead. */
final class DeadlineTimer {
    private final BootClock clock;
    private final Consumer<String> signal;
    private volatile ChildDeadline current = ChildDeadline.never();

    DeadlineTimer(BootClock clock, Consumer<String> signal) {
        this.clock = clock;
        this.signal = signal;
    }

    /** Replaces the deadline. */
    void set(ChildDeadline deadline) {
        current = deadline;
        if (!deadline.isNever()) {
            at(deadline.termAt(), deadline, () -> {
                signal.accept("TERM");
                signal.accept("CONT");
            });
            at(deadline.killAt(), deadline, () -> signal.accept("KILL"));
        }
    }

    private void at(BootTime moment, ChildDeadline deadline, Runnable step) {
        long millis = moment.millisSince(clock.now());
        delayedExecutor(Math.max(0, millis), MILLISECONDS, DeadlineTimer::onDaemon)
                .execute(() -> {
                    if (current.equals(deadline)) {
                        step.run();
                    }
                });
    }

    /** Not in the common pool: a step may wait for a process. */
    private static void onDaemon(Runnable step) {
        Thread thread = new Thread(step, "fenceline-deadline");
        thread.setDaemon(true);
        thread.start();
    }
}
