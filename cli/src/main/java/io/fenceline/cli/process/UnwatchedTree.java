package io.fenceline.cli.process;

import io.fenceline.cli.context.ProcessEnvironment;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * A child in our own session and process group, for systems with neither setsid nor perl.
 *
 * <p>Weaker than {@link WatchedSession}: signals reach the child and those descendants that are still linked to it, the terminal's
 * reach it directly, and the deadline holds only while this JVM runs.
 */
final class UnwatchedTree implements ChildControl {
    private final Process process;
    private final DeadlineTimer timer;

    private UnwatchedTree(Process process, BootClock clock) {
        this.process = process;
        this.timer = new DeadlineTimer(clock, this::signal);
    }

    static UnwatchedTree start(ChildCommand command, BootClock clock, ChildDeadline first) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command.words()).inheritIO();
        builder.environment().putAll(command.variables());
        String locale = builder.environment().remove(ProcessEnvironment.CALLERS_LOCALE);
        if (locale != null) {
            builder.environment()
                    .compute("LC_ALL", (name, ours) -> locale.isEmpty() ? null : locale); // as watchdog.sh does
        }
        UnwatchedTree started = new UnwatchedTree(builder.start(), clock);
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
            ProcessSignal.send(name, all);
        }
    }

    @Override
    public void deadline(ChildDeadline deadline) {
        timer.set(deadline);
    }

    @Override
    public void awaitOthers() {
        // Descendants that outlived the child are no longer linked to it and cannot be found.
    }

    @Override
    public void release() {
        timer.set(ChildDeadline.never());
    }
}
