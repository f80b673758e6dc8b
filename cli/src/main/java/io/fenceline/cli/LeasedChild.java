package io.fenceline.cli;

import io.fenceline.Lease;
import io.fenceline.cli.process.BootClock;
import io.fenceline.cli.process.BootClock.BootTime;
import io.fenceline.cli.process.ChildProcess;
import io.fenceline.cli.process.Command;
import io.fenceline.cli.process.CommandException;
import io.fenceline.cli.process.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

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
    private final Lease lease;
    private final Duration grace;
    private final BootClock clock;
    private final ReentrantLock turn = new ReentrantLock();
    private Deadline deadline;

    private LeasedChild(ChildProcess child, Lease lease, Duration grace, BootClock clock, Deadline deadline) {
        this.child = child;
        this.lease = lease;
        this.grace = grace;
        this.clock = clock;
        this.deadline = deadline;
    }

    /**
     * Starts a command under a lease. From then on {@link #follow} is to be called after each renewal, and once at first.
     *
     * @throws CommandException if there is no such program or it may not be executed; nothing was started
     * @throws IOException if the system starts no further process
     */
    static LeasedChild start(Command command, Lease lease, Duration grace) throws CommandException, IOException {
        BootClock clock = BootClock.ofThisMachine();
        Deadline first = deadlineOf(lease, grace, clock);
        LeasedChild started = new LeasedChild(ChildProcess.start(command, clock, first), lease, grace, clock, first);
        lease.lost().thenAccept(loss -> started.stop());
        return started;
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
            Deadline next = deadlineOf(lease, grace, clock);
            if (lease.isHeld()) {
                Deadline before = deadline;
                set(next);
                if (isDue(before)) {
                    set(before); // asked to stop is to be stopped
                }
            }
        } finally {
            turn.unlock();
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

    /** The lease is lost, perhaps before its deadline: the child stops now, and not later than it had to anyway. */
    private void stop() {
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

    /** The clock is read first: what passes between the two readings makes the deadline earlier, never later. */
    private static Deadline deadlineOf(Lease lease, Duration grace, BootClock clock) {
        BootTime now = clock.now();
        Duration left = lease.remaining();
        return Deadline.after(now, left, left.plus(grace));
    }

    private static BootTime earlier(BootTime one, BootTime other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
