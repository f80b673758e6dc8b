package io.fenceline.cli;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockBody;
import io.fenceline.LossReason;
import io.fenceline.cli.process.ChildProcess;
import io.fenceline.cli.process.Command;
import io.fenceline.cli.process.CommandException;
import io.fenceline.cli.process.SignalForwarding;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of the command of {@code exec} under the lock, until it ends or the lease does.
 *
 * <p>As a {@link LockListener} it is told of renewals, and has the child's deadline moved with them.
 */
final class LockedRun implements LockListener, LockBody<Integer, Exception> {

    private final List<String> words;
    private final Duration grace;
    private final Fenceline root;
    private volatile @Nullable LeasedChild running;

    /**
     * Prepares a run.
     *
     * @param words the command
     * @param grace from asking the command to stop to killing it
     * @param root who is told if a renewal does not reach the child's watchdog
     */
    LockedRun(List<String> words, Duration grace, Fenceline root) {
        this.words = words;
        this.grace = grace;
        this.root = root;
    }

    /** Has a missing program told before the wait for the lock. */
    void requireProgram() throws CommandException {
        Command.of(words.toArray(String[]::new)).program();
    }

    @Override
    public void on(LockEvent event) {
        LeasedChild child = running;
        if (child != null && event instanceof LockEvent.Extended) {
            child.followOrTell(root.complaints());
        }
    }

    /**
     * Answers the command's exit status.
     *
     * @throws LeaseLostException if the command was stopped because of its lease
     */
    @Override
    public Integer run(Lease lease) throws CommandException, InterruptedException, IOException {
        SignalForwarding forwarding = SignalForwarding.install();
        if (Thread.interrupted()) { // by a signal that came before: that one is for us
            throw new InterruptedException();
        }
        lease.ensureHeld();
        LeasedChild leased =
                LeasedChild.start(new Command(words, ChildVariables.of(lease.grant(), root)), lease, grace);
        try (ChildProcess child = leased.process()) {
            running = leased;
            leased.follow(); // it may have been renewed before it was running
            forwarding.to(child);
            int status = child.waitFor();
            if (leased.hasComeDue()) {
                lease.ensureHeld(); // says why
                throw new LeaseLostException(lease.stamp(), LossReason.DEADLINE_PASSED, null);
            }
            return status;
        }
    }
}
