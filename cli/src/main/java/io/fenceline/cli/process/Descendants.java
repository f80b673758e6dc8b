package io.fenceline.cli.process;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * A child in our own session and process group, for systems that have neither setsid nor perl.
 *
 * <p>This is less than {@link WatchedSession}: signals reach the child and those descendants that are still linked
 * to it when they are sent, the terminal's reach it directly, and its deadline holds only while this JVM runs.
 */
final class Descendants implements Leash {
    private final Process process;
    private final DeadlineTimer timer;

    private Descendants(Process process, BootClock clock) {
        this.process = process;
        this.timer = new DeadlineTimer(clock, this::signal);
    }

    static Descendants start(Command command, BootClock clock, Deadline first) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command.words()).inheritIO();
        builder.environment().putAll(command.variables());
        Descendants started = new Descendants(builder.start(), clock);
        started.deadline(first);
        return started;
    }

    @Override
    public Process process() {
        return process;
    }

    @Override
    public void signal(String name) {
        if (process.isAlive()) {
            List<Long> all = Stream.concat(
                            Stream.of(process.toHandle()), process.toHandle().descendants())
                    .map(ProcessHandle::pid)
                    .toList();
            KillCommand.send(name, all);
        }
    }

    @Override
    public void deadline(Deadline deadline) {
        timer.set(deadline);
    }

    @Override
    public void awaitOthers() {
        // Those that outlived the child are no longer linked to it and cannot be found.
    }

    @Override
    public void release() {
        timer.set(Deadline.never());
    }
}
