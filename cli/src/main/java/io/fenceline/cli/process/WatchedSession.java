package io.fenceline.cli.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A child in a session and process group of its own, with a watchdog outside this JVM.
 *
 * <p>One shell is started. It forks the watchdog and then executes the command, so the child's process id is also that of its
 * group and session. The group is signalled only before {@link #release}; until then the watchdog, a member of the session,
 * prevents the reuse of that id, as {@code watchdog.sh} explains.
 *
 * <p>bash is preferred to sh for two reasons. It gives the watchdog its own group without a terminal; with dash and busybox the
 * watchdog shares the child's group, and stopping the group stops it too. And it passes on environment variables whose names are
 * not identifiers, which dash and busybox drop.
 */
final class WatchedSession implements ChildControl {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final long POLL_MILLIS = 10;
    private static final Path BASH = Path.of("/bin/bash");

    private final Process process;
    private final WatchdogFolder folder;
    private final BootClock clock;
    private final ReentrantLock lock = new ReentrantLock();

    // Written under lock.
    private volatile ChildDeadline deadline;
    private boolean released;
    private @Nullable DeadlineTimer standIn;

    private WatchedSession(Process process, WatchdogFolder folder, BootClock clock, ChildDeadline first) {
        this.process = process;
        this.folder = folder;
        this.clock = clock;
        this.deadline = first;
    }

    /** Starts the command by {@code leader}, a prefix that runs its arguments in a new session. */
    static WatchedSession start(List<String> leader, ChildCommand command, BootClock clock, ChildDeadline first)
            throws IOException {
        WatchdogFolder folder = WatchdogFolder.create(first);
        List<String> words = new ArrayList<>(leader);
        boolean bash = Files.isExecutable(BASH);
        // -p: no start-up files and no functions from the environment.
        words.addAll(bash ? List.of(BASH.toString(), "-p") : List.of("/bin/sh"));
        words.add(folder.script().toString());
        words.add(folder.path().toString());
        ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
        builder.environment().putAll(command.variables());
        if (!bash) {
            words.addAll(variablesThatShellsDrop(builder.environment()));
        }
        words.addAll(command.words());
        try {
            return new WatchedSession(builder.start(), folder, clock, first);
        } catch (IOException e) {
            folder.delete();
            throw e;
        }
    }

    private static List<String> variablesThatShellsDrop(Map<String, String> environment) {
        List<String> words = new ArrayList<>();
        environment.forEach((name, value) -> {
            if (!IDENTIFIER.matcher(name).matches()) {
                words.add(name + "=" + value);
            }
        });
        if (!words.isEmpty()) {
            words.add(0, "env");
        }
        return words;
    }

    @Override
    public Process process() {
        return process;
    }

    @Override
    public void signal(String name) {
        lock.lock();
        try {
            // The new process may not have its group yet.
            if (!released && !ProcessSignal.send(name, List.of(-process.pid()))) {
                ProcessSignal.send(name, List.of(process.pid()));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void deadline(ChildDeadline next) {
        lock.lock();
        try {
            if (released) {
                return;
            }
            folder.write(next);
            Optional<ProcessHandle> watchdog = folder.watchdog();
            if (watchdog.isEmpty()) {
                standInForWatchdog();
            } else if (next.isEarlierThan(deadline)) {
                watchdog.get().destroy();
            }
            if (standIn != null) {
                standIn.set(next);
            }
            deadline = next;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot move the watchdog's deadline", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Replaces a watchdog that was killed or whose folder was removed, or that the shell has not started yet. In the last case it may
     * have read the previous deadline, and is woken when this one is due.
     */
    private void standInForWatchdog() {
        if (standIn == null) {
            standIn = new DeadlineTimer(
                    clock, name -> folder.watchdog().ifPresentOrElse(ProcessHandle::destroy, () -> signalLiving(name)));
        }
    }

    /** Without a watchdog the number of a child that has ended may be another's. */
    private void signalLiving(String name) {
        if (process.isAlive()) {
            signal(name);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>The watchdog removes its folder when the group is empty. One that shares the group cannot see that and waits for the end
     * of the deadline.
     */
    @Override
    public void awaitOthers() throws InterruptedException {
        ChildDeadline last = deadline;
        if (clock.now().isBefore(last.termAt())) {
            return;
        }
        while (folder.hasWatchdog() && clock.now().isBefore(last.killAt())) {
            Thread.sleep(POLL_MILLIS);
        }
        signal("KILL");
    }

    @Override
    public void release() {
        lock.lock();
        try {
            if (!released) {
                released = true;
                if (standIn != null) {
                    standIn.set(ChildDeadline.never());
                }
                var watchdog = folder.watchdog();
                folder.delete();
                watchdog.ifPresent(ProcessHandle::destroy);
            }
        } finally {
            lock.unlock();
        }
    }
}
