package io.fenceline.cli.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A child in a session and process group of its own, with a watchdog outside this JVM.
 *
 * <p>One shell is started. It forks the watchdog and becomes the command, so the child's number is that of its
 * group and session. The group is signalled only before {@link #release}, and the watchdog, a member of the
 * session, keeps its number from being given to strangers for that long; {@code watchdog.sh} says why.
 *
 * <p>bash is preferred to sh: it gives the watchdog a group of its own without a terminal (dash and busybox do
 * not; there the watchdog shares the child's group, so that stopping the whole group stops it too), and it hands
 * on environment variables whose names are not identifiers, which dash and busybox drop.
 */
final class WatchedSession implements Leash {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final long POLL_MILLIS = 10;
    private static final Path BASH = Path.of("/bin/bash");

    private final Process process;
    private final WatchFolder folder;
    private final BootClock clock;
    private final ReentrantLock lock = new ReentrantLock();

    // Written under lock.
    private volatile Deadline deadline;
    private boolean released;
    private @Nullable DeadlineTimer standIn;

    private WatchedSession(Process process, WatchFolder folder, BootClock clock, Deadline first) {
        this.process = process;
        this.folder = folder;
        this.clock = clock;
        this.deadline = first;
    }

    /** Starts the command through {@code leader}, the words that run their arguments in a session of their own. */
    static WatchedSession start(List<String> leader, Command command, BootClock clock, Deadline first)
            throws IOException {
        WatchFolder folder = WatchFolder.create(first);
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
            // Before the new process has its session there is no group, but a child.
            if (!released && !KillCommand.send(name, List.of(-process.pid()))) {
                KillCommand.send(name, List.of(process.pid()));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void deadline(Deadline next) {
        lock.lock();
        try {
            if (released) {
                return;
            }
            folder.write(next);
            if (next.isEarlierThan(deadline)) {
                folder.watchdog().ifPresentOrElse(ProcessHandle::destroy, this::standInForWatchdog);
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
     * Somebody killed the watchdog, or the shell has not yet started it. In the second case it may have read the deadline before,
     * and is woken when this one is due.
     */
    private void standInForWatchdog() {
        if (standIn == null) {
            standIn = new DeadlineTimer(
                    clock, name -> folder.watchdog().ifPresentOrElse(ProcessHandle::destroy, () -> signal(name)));
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>The watchdog removes its folder when the group has no member left; one that shares the group cannot see
     * that and waits for the end of the deadline.
     */
    @Override
    public void awaitOthers() throws InterruptedException {
        Deadline last = deadline;
        if (clock.now().isBefore(last.termAt())) {
            return;
        }
        while (folder.exists() && clock.now().isBefore(last.killAt())) {
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
                    standIn.set(Deadline.never());
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
