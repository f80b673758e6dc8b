package io.fenceline.cli.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A running command that ends at its {@link ChildDeadline}, even if this JVM is stopped or killed.
 *
 * <p>The child inherits standard input, output and error, and has a session and process group of its own. It therefore has no
 * controlling terminal: it can use the inherited one, but not open {@code /dev/tty}, and the terminal's signals reach it only
 * through {@link SignalForwarding}. Its descendants are signalled with it as long as they stay in the group. When the child ends
 * before its deadline, its descendants keep running.
 *
 * <p>A watchdog process outside this JVM enforces the deadline. On systems with neither {@code setsid} nor {@code perl} the child
 * shares our process group, and the deadline holds only while this JVM runs.
 *
 * <p>Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
    private final ChildControl leash;
    private final BootClock clock;

    private ChildProcess(ChildControl leash, BootClock clock) {
        this.leash = leash;
        this.clock = clock;
    }

    /**
     * Starts a command, whose first deadline holds from its first instruction on.
     *
     * @throws CommandStartException if the program is not found or not executable
     * @throws IOException if no process can be started, or the temporary folder cannot be written
     */
    public static ChildProcess start(ChildCommand command, BootClock clock, ChildDeadline first)
            throws CommandStartException, IOException {
        command.program();
        Optional<List<String>> leader = SetsidCommand.words();
        ChildControl leash = leader.isPresent()
                ? WatchedSession.start(leader.get(), command, clock, first)
                : UnwatchedTree.start(command, clock, first);
        return new ChildProcess(leash, clock);
    }

    /** The process id of the command. */
    public long pid() {
        return leash.process().pid();
    }

    /** Replaces the deadline. Writes one small file if the new one is later. No-op if the child has ended. */
    public void deadline(ChildDeadline deadline) {
        leash.deadline(deadline);
    }

    /** Sends a signal, named without SIG, to the child's process group. No-op if the child has ended. */
    public void signal(String name) {
        leash.signal(name);
    }

    /** Sends SIGTERM to the child's group now, and SIGKILL after {@code grace}; does not wait. */
    public void stop(Duration grace) {
        leash.deadline(ChildDeadline.after(clock.now(), Duration.ZERO, grace));
    }

    /**
     * Waits for the child and returns its exit status, or 128 + n if signal n ended it.
     *
     * <p>If its deadline had passed, also waits until the rest of its group has ended or was killed.
     */
    public int waitFor() throws InterruptedException {
        int status = leash.process().waitFor();
        leash.awaitOthers();
        leash.release();
        return status;
    }

    /** Waits for the child, not for its group. To be followed by {@link #waitFor}. */
    public void waitForItself() throws InterruptedException {
        leash.process().waitFor();
    }

    /** Kills the child's group if the child still runs, and removes all files. */
    @Override
    public void close() {
        Process process = leash.process();
        if (process.isAlive()) {
            leash.signal("KILL");
            ProcessExit.await(process);
        }
        leash.release();
    }
}
