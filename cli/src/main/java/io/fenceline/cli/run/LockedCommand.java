package io.fenceline.cli.run;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockCall;
import io.fenceline.LossReason;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.process.ChildCommand;
import io.fenceline.cli.process.ChildProcess;
import io.fenceline.cli.process.CommandStartException;
import io.fenceline.cli.process.SignalForwarding;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the command of {@code exec} under the lock, until the command or its lease ends.
 *
 * <p>As a {@link LockListener} it moves the child's deadline after each renewal.
 */
public final class LockedCommand implements LockListener, LockCall<Integer, Exception> {

    private final List<String> words;
    private final Duration grace;
    private final CommandContext context;
    private volatile @Nullable LeasedChild running;

    /** Prepares a run. */
    public LockedCommand(List<String> words, Duration grace, CommandContext context) {
        this.words = words;
        this.grace = grace;
        this.context = context;
    }

    /** Checks that the program exists, before the wait for the lock. */
    public void requireProgram() throws CommandStartException {
        ChildCommand.of(words.toArray(String[]::new)).program();
    }

    @Override
    public void on(LockEvent event) {
        LeasedChild child = running;
        if (child != null && event instanceof LockEvent.Extended) {
            child.followOrPrint(context.errors());
        }
    }

    /**
     * Runs the command and returns its exit status.
     *
     * @throws LeaseLostException if the command was stopped because of its lease
     */
    @Override
    public Integer call(Lease lease) throws CommandStartException, InterruptedException, IOException {
        SignalForwarding forwarding = SignalForwarding.install();
        LeasedChild leased = start(lease);
        try (ChildProcess child = leased.process()) {
            running = leased;
            leased.follow(); // the lease may have been renewed before the child was running
            forwarding.to(child);
            int status = child.waitFor();
            if (leased.hasComeDue()) {
                lease.ensureHeld(); // throws with the reason
                throw new LeaseLostException(lease.stamp(), LossReason.DEADLINE_PASSED, null);
            }
            return status;
        }
    }

    private LeasedChild start(Lease lease) throws CommandStartException, InterruptedException, IOException {
        try {
            if (Thread.interrupted()) { // by a signal that came before the forwarding and was meant for us
                throw new InterruptedException();
            }
            lease.ensureHeld();
            return LeasedChild.start(new ChildCommand(words, ChildVariables.of(lease.grant(), context)), lease, grace);
        } catch (CommandStartException | InterruptedException | IOException e) {
            LockRun.releaseUnused(lease, e);
            throw e;
        }
    }
}
