package io.fenceline.cli.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A running command that ends at its {@link Deadline}, whatever becomes of this JVM.
 *
 * <p>The child has our standard input, output and error, and a session and process group of its own. It therefore
 * has no controlling terminal: it reads and writes the one that it inherits, but cannot open {@code /dev/tty}, and
 * the terminal's keys reach it only through {@link SignalForwarding}. What it started belongs to it for as long as
 * it stays in the group; when the child ends before its deadline, what it left running is left alone.
 *
 * <p>The deadline is kept by a small process outside this JVM: also while the JVM is stopped, and after it was
 * killed. On systems that have neither {@code setsid} nor {@code perl} the child shares our process group and the
 * deadline holds only while this JVM runs.
 *
 * <p>All methods may be called from any thread.
 */
public final class ChildProcess implements AutoCloseable {
    private final Leash leash;
    private final BootClock clock;

    private ChildProcess(Leash leash, BootClock clock) {
        this.leash = leash;
        this.clock = clock;
    }

    /**
     * Starts a command.
     *
     * @param first holds from the child's first instruction on
     * @throws CommandException if there is no such program or it may not be executed; nothing was started
     * @throws IOException if the system starts no further process or the temporary folder cannot be written
     */
    public static ChildProcess start(Command command, BootClock clock, Deadline first)
            throws CommandException, IOException {
        command.program();
        Optional<List<String>> leader = SessionLeader.words();
        Leash leash = leader.isPresent()
                ? WatchedSession.start(leader.get(), command, clock, first)
                : Descendants.start(command, clock, first);
        return new ChildProcess(leash, clock);
    }

    /** The process id of the command. */
    public long pid() {
        return leash.process().pid();
    }

    /**
     * Replaces the deadline. Costs one small file if the new one is later. Without effect on a child that has
     * ended.
     */
    public void deadline(Deadline deadline) {
        leash.deadline(deadline);
    }

    /** Sends a signal, named without SIG, to the child's whole group. Without effect on a child that has ended. */
    public void signal(String name) {
        leash.signal(name);
    }

    /** Sends SIGTERM to the child's group now and SIGKILL to what is left of it after {@code grace}; does not wait. */
    public void stop(Duration grace) {
        leash.deadline(Deadline.after(clock.now(), Duration.ZERO, grace));
    }

    /**
     * Waits for the child and returns its exit status, or 128 + n if signal n ended it.
     *
     * <p>If its deadline had come, also waits until the rest of its group has ended or was killed.
     */
    public int waitFor() throws InterruptedException {
        int status = leash.process().waitFor();
        leash.awaitOthers();
        leash.release();
        return status;
    }

    /** Waits for the child alone. To be followed by {@link #waitFor}. */
    public void waitForItself() throws InterruptedException {
        leash.process().waitFor();
    }

    /** Kills the child's group if the child still runs. Leaves no process and no file behind. */
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
