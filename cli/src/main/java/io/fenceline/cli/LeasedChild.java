package io.fenceline.cli;

import io.fenceline.Lease;
import io.fenceline.cli.process.BootClock;
import io.fenceline.cli.process.BootClock.BootTime;
import io.fenceline.cli.process.ChildProcess;
import io.fenceline.cli.process.Command;
import io.fenceline.cli.process.CommandException;
import io.fenceline.cli.process.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A child process that does not outlive a lease: its deadline goes where the lease's goes.
 *
 * <p>It is asked to stop (SIGTERM) when the lease can no longer be counted on, and killed {@code grace} later at the latest.
 * The lease's safety margin has to be longer than the grace, so that both come before the store can grant the lock again.
 *
 * <p>Deadlines are set one at a time, under {@code turn}, so that the one that was worked out last is the one that counts.
 */
final class LeasedChild {

    private final ChildProcess child;
    private final Supplier<Duration> remaining;
    private final Duration grace;
    private final BootClock clock;
    private final ReentrantLock turn = new ReentrantLock();
    private Deadline deadline;

    private LeasedChild(
            ChildProcess child, Supplier<Duration> remaining, Duration grace, BootClock clock, Deadline deadline) {
        this.child = child;
        this.remaining = remaining;
        this.grace = grace;
        this.clock = clock;
        this.deadline = deadline;
    }

    /**
     * Starts a command under a lease, and stops it when the lease is lost. From then on {@link #follow} is to be called after
     * each renewal, and once at first.
     *
     * @throws CommandException if there is no such program or it may not be executed; nothing was started
     * @throws IOException if the system starts no further process
     */
    static LeasedChild start(Command command, Lease lease, Duration grace) throws CommandException, IOException {
        LeasedChild started = start(command, lease::remaining, grace);
        lease.lost().thenAccept(loss -> started.stop());
        return started;
    }

    /**
     * Starts a command that has a time limit which moves. From then on {@link #follow} is to be called after each move, and once
     * at first; {@link #stop} when the limit comes early.
     *
     * @param remaining the time that is left, never blocking; zero for good once it is over
     * @throws CommandException if there is no such program or it may not be executed; nothing was started
     * @throws IOException if the system starts no further process
     */
    static LeasedChild start(Command command, Supplier<Duration> remaining, Duration grace)
            throws CommandException, IOException {
        BootClock clock = BootClock.ofThisMachine();
        Deadline now = Deadline.after(clock.now(), Duration.ZERO, grace);
        Deadline first = deadlineOf(remaining, grace, clock).orElse(now);
        return new LeasedChild(ChildProcess.start(command, clock, first), remaining, grace, clock, first);
    }

    ChildProcess process() {
        return child;
    }

    /**
     * Moves the deadline to where the lease's is now, unless it has come already: the child may have been asked to stop then,
     * and has to, although the lease was renewed at the last moment.
     */
    void follow() {
        turn.lock();
        try {
            Optional<Deadline> next = deadlineOf(remaining, grace, clock);
            if (next.isPresent()) {
                Deadline before = deadline;
                set(next.get());
                if (isDue(before)) {
                    set(before); // asked to stop is to be stopped
                }
            }
        } finally {
            turn.unlock();
        }
    }

    /** Does as {@link #follow} does. If the deadline cannot be moved, people are told what comes of it. */
    void followOrTell(Complaints complaints) {
        try {
            follow();
        } catch (UncheckedIOException e) {
            complaints.tell("the command will be stopped although its lease was renewed: " + e.getMessage()
                    + "; is the temporary folder full?");
        }
    }

    /** Whether the child was stopped because of its lease, or would have been by now. */
    boolean hasComeDue() {
        turn.lock();
        try {
            return isDue(deadline);
        } finally {
            turn.unlock();
        }
    }

    private boolean isDue(Deadline some) {
        return clock.now().compareTo(some.termAt()) >= 0;
    }

    /**
     * Stops the child now, and not later than it had to anyway: its lease is lost, or given up, before the deadline. Without effect
     * on a child that has ended.
     */
    void stop() {
        turn.lock();
        try {
            BootTime now = clock.now();
            BootTime killAt = earlier(now.plus(grace), deadline.killAt());
            set(new Deadline(earlier(now, killAt), killAt));
        } finally {
            turn.unlock();
        }
    }

    private void set(Deadline next) {
        deadline = next;
        child.deadline(next);
    }

    /**
     * The deadline that goes with the lease, if it is held. The clock is read first: what passes between the two readings makes the
     * deadline earlier, never later.
     */
    private static Optional<Deadline> deadlineOf(Supplier<Duration> remaining, Duration grace, BootClock clock) {
        BootTime now = clock.now();
        Duration left = remaining.get();
        return left.isZero() ? Optional.empty() : Optional.of(Deadline.after(now, left, left.plus(grace)));
    }

    private static BootTime earlier(BootTime one, BootTime other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
