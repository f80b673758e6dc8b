package io.fenceline.cli.run;

import io.fenceline.Lease;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.process.BootClock;
import io.fenceline.cli.process.BootClock.BootTime;
import io.fenceline.cli.process.ChildCommand;
import io.fenceline.cli.process.ChildDeadline;
import io.fenceline.cli.process.ChildProcess;
import io.fenceline.cli.process.CommandStartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A child process that does not outlive its lease: its deadline moves with the lease's.
 *
 * <p>It gets SIGTERM when the lease's local deadline passes, and SIGKILL {@code grace} later. The lease's safety margin must be
 * longer than the grace, so that both happen before the store can grant the lock again.
 *
 * <p>{@code lock} serializes changes of the deadline: the one computed last is the one that counts.
 */
final class LeasedChild {

    private final ChildProcess child;
    private final Supplier<Duration> remaining;
    private final Duration grace;
    private final BootClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicBoolean stuck = new AtomicBoolean();
    private ChildDeadline deadline;

    private LeasedChild(
            ChildProcess child, Supplier<Duration> remaining, Duration grace, BootClock clock, ChildDeadline deadline) {
        this.child = child;
        this.remaining = remaining;
        this.grace = grace;
        this.clock = clock;
        this.deadline = deadline;
    }

    /** Starts a command and stops it when the lease is lost. Call {@link #follow} once now and after each renewal. */
    static LeasedChild start(ChildCommand command, Lease lease, Duration grace)
            throws CommandStartException, IOException {
        LeasedChild started = start(command, lease::remaining, grace);
        lease.lost().thenAccept(loss -> started.stop());
        return started;
    }

    /**
     * Starts a command with a deadline that moves. Call {@link #follow} once now and after each move, and {@link
     * #stop} when the time ends early.
     */
    static LeasedChild start(ChildCommand command, Supplier<Duration> remaining, Duration grace)
            throws CommandStartException, IOException {
        BootClock clock = BootClock.ofThisMachine();
        ChildDeadline now = ChildDeadline.after(clock.now(), Duration.ZERO, grace);
        ChildDeadline first = deadlineOf(remaining, grace, clock).orElse(now);
        return new LeasedChild(ChildProcess.start(command, clock, first), remaining, grace, clock, first);
    }

    ChildProcess process() {
        return child;
    }

    /**
     * Moves the deadline to the lease's present one, unless it has passed: the child may have been told to stop by then, and
     * must, even if the lease was renewed at the last moment.
     */
    void follow() {
        lock.lock();
        try {
            Optional<ChildDeadline> next = deadlineOf(remaining, grace, clock);
            if (next.isPresent()) {
                ChildDeadline before = deadline;
                set(next.get());
                if (isDue(before)) {
                    set(before); // a child that was told to stop has to stop
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Calls {@link #follow}; prints the consequence, once, if the deadline cannot be moved. */
    void followOrPrint(ErrorOutput errors) {
        try {
            follow();
            stuck.set(false);
        } catch (UncheckedIOException e) {
            if (stuck.getAndSet(true)) {
                return;
            }
            errors.print("the command will be stopped although its lease was renewed: " + e.getMessage()
                    + "; is the temporary folder full?");
        }
    }

    /** Returns whether the deadline has passed, so that the child was or will be stopped. */
    boolean hasComeDue() {
        lock.lock();
        try {
            return isDue(deadline);
        } finally {
            lock.unlock();
        }
    }

    private boolean isDue(ChildDeadline some) {
        return clock.now().compareTo(some.termAt()) >= 0;
    }

    /** Stops the child now, because its lease ended early. Never moves the deadline back; no-op if the child has ended. */
    void stop() {
        lock.lock();
        try {
            BootTime now = clock.now();
            BootTime killAt = earlier(now.plus(grace), deadline.killAt());
            set(new ChildDeadline(earlier(now, killAt), killAt));
        } finally {
            lock.unlock();
        }
    }

    private void set(ChildDeadline next) {
        deadline = next;
        child.deadline(next);
    }

    /**
     * The deadline for the remaining time; empty if none remains. The clock is read first: a pause between the two readings makes
     * the deadline earlier, never later.
     */
    private static Optional<ChildDeadline> deadlineOf(Supplier<Duration> remaining, Duration grace, BootClock clock) {
        BootTime now = clock.now();
        Duration left = remaining.get();
        return left.isZero() ? Optional.empty() : Optional.of(ChildDeadline.after(now, left, left.plus(grace)));
    }

    private static BootTime earlier(BootTime one, BootTime other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
