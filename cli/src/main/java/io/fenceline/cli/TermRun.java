package io.fenceline.cli;

import io.fenceline.cli.process.ChildProcess;
import io.fenceline.cli.process.Command;
import io.fenceline.cli.process.CommandException;
import io.fenceline.cli.process.SignalForwarding;
import io.fenceline.election.Leadership;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One run of a command, from the beginning of a term to the command's end or the term's.
 *
 * <p>It has a thread of its own that nobody interrupts: a child whose start is interrupted in the middle would leave something
 * behind.
 */
final class TermRun {

    private final Command command;
    private final Leadership term;
    private final Duration grace;
    private final Complaints complaints;
    private final Ending ending;
    private final Thread thread;

    // One side writes the first and reads the second, the other does it the other way round: one of them stops the
    // child.
    private volatile boolean stopped;
    private volatile @Nullable LeasedChild running;

    /** Told how a run ended that was not stopped. */
    interface Ending {

        /** The command ended by itself. */
        void ended(int exitStatus);

        /** The command cannot be run. */
        void failed(Exception why);
    }

    /**
     * Prepares a run.
     *
     * @param command what is run
     * @param term while it lasts
     * @param grace from asking the command to stop to killing it
     * @param complaints who is told if the command's watchdog cannot be reached
     * @param ending told how it ended, on the run's own thread
     */
    TermRun(Command command, Leadership term, Duration grace, Complaints complaints, Ending ending) {
        this.command = command;
        this.term = term;
        this.grace = grace;
        this.complaints = complaints;
        this.ending = ending;
        this.thread = new Thread(this::run, "fenceline-term");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            SignalForwarding forwarding = SignalForwarding.installBesidesEnding();
            if (!stopped) {
                run(LeasedChild.start(command, term::remaining, grace), forwarding);
            }
        } catch (CommandException | IOException | RuntimeException e) {
            ending.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // by nobody; the child was killed
        } catch (Error e) { // no more threads, for instance: a term must not go on without its command
            ending.failed(new IllegalStateException("the command cannot be run", e));
        }
    }

    private void run(LeasedChild leased, SignalForwarding forwarding) throws InterruptedException {
        try (ChildProcess child = leased.process()) {
            running = leased;
            leased.followOrTell(complaints); // the lease may have been renewed before the child was running
            if (stopped) {
                leased.stop();
            }
            forwarding.to(child);
            child.waitForItself();
            boolean due = leased.hasComeDue();
            leased.stop(); // what it has left running must not outlive the term
            int status = child.waitFor();
            if (!due) {
                ending.ended(status);
            }
        }
    }

    /** To be called after each renewal. */
    void follow() {
        LeasedChild leased = running;
        if (leased != null) {
            leased.followOrTell(complaints);
        }
    }

    /** Stops the command, if it runs, and waits until its whole group is gone. */
    void stop() {
        stopped = true;
        LeasedChild leased = running;
        if (leased != null) {
            try {
                leased.stop();
            } catch (UncheckedIOException e) {
                complaints.tell(
                        e.getMessage() + "; it is stopped at the end of the lease. Is the temporary folder full?", e);
            }
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
