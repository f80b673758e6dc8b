package io.fenceline.cli.run;

import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.process.ChildCommand;
import io.fenceline.cli.process.ChildProcess;
import io.fenceline.cli.process.CommandStartException;
import io.fenceline.cli.process.SignalForwarding;
import io.fenceline.election.Leadership;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Runs the command once during one term.
 *
 * <p>It has a thread of its own that is never interrupted: an interrupted start of a child would leave something behind.
 */
final class TermProcess {

    private final ChildCommand command;
    private final Leadership term;
    private final Duration grace;
    private final ErrorOutput errors;
    private final Ending ending;
    private final Thread thread;

    // stop() writes the first and reads the second, the thread does the reverse: at least one of them stops the child.
    private volatile boolean stopped;
    private volatile @Nullable LeasedChild running;

    /** Receives the end of a run that was not stopped, on the run's own thread. */
    interface Ending {

        /** The command ended by itself. */
        void ended(int exitStatus);

        /** The command cannot be run. */
        void failed(Exception why);
    }

    TermProcess(ChildCommand command, Leadership term, Duration grace, ErrorOutput errors, Ending ending) {
        this.command = command;
        this.term = term;
        this.grace = grace;
        this.errors = errors;
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
        } catch (CommandStartException | IOException | RuntimeException e) {
            ending.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // never happens; the child was killed
        } catch (Error e) { // no more threads, for instance: a term must not go on without its command
            ending.failed(new IllegalStateException("the command cannot be run", e));
        }
    }

    private void run(LeasedChild leased, SignalForwarding forwarding) throws InterruptedException {
        try (ChildProcess child = leased.process()) {
            running = leased;
            leased.followOrPrint(errors); // the lease may have been renewed before the child was running
            if (stopped) {
                leased.stop();
            }
            forwarding.to(child);
            child.waitForItself();
            boolean due = leased.hasComeDue();
            leased.stop(); // processes that it left running must not outlive the term
            int status = child.waitFor();
            if (!due) {
                ending.ended(status);
            }
        }
    }

    /** Moves the command's deadline; to be called after each renewal. */
    void follow() {
        LeasedChild leased = running;
        if (leased != null) {
            leased.followOrPrint(errors);
        }
    }

    /** Stops the command, if it runs, and waits until its whole process group has ended. */
    void stop() {
        stopped = true;
        LeasedChild leased = running;
        if (leased != null) {
            try {
                leased.stop();
            } catch (UncheckedIOException e) {
                errors.print(
                        "the command is stopped only at the end of the lease: " + e.getMessage()
                                + "; is the temporary folder full?",
                        e);
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
