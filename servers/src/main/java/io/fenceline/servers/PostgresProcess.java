package io.fenceline.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL server that runs. A shell watches over it: when the JVM ends, however it ends, the pipe to the shell closes, and
 * the shell stops the server and removes its folder.
 */
final class PostgresProcess {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String WATCH = """
            folder=$1; shift
            "$@" </dev/null & server=$!
            if read order; then kill -"$order" $server; wait $server; exit; fi
            kill -QUIT $server; kill -CONT $server; wait $server; rm -rf "$folder"
            """;

    private final Process shell;
    private final ProcessHandle server;

    private PostgresProcess(Process shell, ProcessHandle server) {
        this.shell = shell;
        this.server = server;
    }

    /** Starts a server and waits until it answers. */
    static PostgresProcess start(Path folder, Path data, List<String> command) {
        Path log = folder.resolve("log");
        List<String> watched = new ArrayList<>(List.of("sh", "-c", WATCH, "sh", folder.toString()));
        watched.addAll(command);
        try {
            Files.deleteIfExists(data.resolve("postmaster.pid"));
            Process shell = new ProcessBuilder(watched)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            return new PostgresProcess(shell, awaitReady(shell, data.resolve("postmaster.pid"), log));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server tells in the last line of a file how it is. */
    private static ProcessHandle awaitReady(Process shell, Path status, Path log) throws IOException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            List<String> lines = linesOf(status);
            if (lines.size() >= 8 && lines.get(7).strip().equals("ready")) {
                return ProcessHandle.of(Long.parseLong(lines.get(0).strip())).orElseThrow();
            }
            boolean alive = shell.descendants().findAny().isPresent() || lines.isEmpty();
            if (!alive || !shell.isAlive() || System.nanoTime() - end > 0) {
                shell.destroyForcibly();
                throw new IllegalStateException("PostgreSQL does not start: " + Files.readString(log));
            }
            pause(5);
        }
    }

    private static List<String> linesOf(Path file) throws IOException {
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException notYet) {
            return List.of();
        }
    }

    /** Ends it as an operator does: connections are cut, data are written. */
    void stop() {
        order("INT");
    }

    private void order(String signal) {
        if (shell.isAlive()) {
            try (OutputStream orders = shell.getOutputStream()) {
                orders.write((signal + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            awaitEnd(shell.toHandle());
        }
    }

    /** Ends all its processes at one moment, and waits until none is left. */
    void kill() {
        shell.destroyForcibly();
        List<ProcessHandle> all = frozen();
        signal("KILL", all);
        all.forEach(PostgresProcess::awaitEnd);
    }

    void pause() {
        frozen();
    }

    void resume() {
        List<ProcessHandle> all = new ArrayList<>(server.descendants().toList());
        all.add(server);
        signal("CONT", all);
    }

    boolean isAlive() {
        return isRunning(server);
    }

    /** Stops the parent first, which then makes no more children. */
    private List<ProcessHandle> frozen() {
        signal("STOP", List.of(server));
        List<ProcessHandle> all = new ArrayList<>(server.descendants().toList());
        signal("STOP", all);
        all.add(server);
        return all;
    }

    /** A process that is gone already makes no difference. */
    private static void signal(String name, List<ProcessHandle> processes) {
        List<String> command =
                new ArrayList<>(List.of("sh", "-c", "kill -" + name + " \"$@\" 2>/dev/null; true", "sh"));
        processes.forEach(process -> command.add(Long.toString(process.pid())));
        if (!processes.isEmpty()) {
            Command.run(command);
        }
    }

    /** {@link ProcessHandle#onExit} takes seconds to notice the end of a process that is not our child. */
    private static void awaitEnd(ProcessHandle process) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (isRunning(process)) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("process " + process.pid() + " does not end");
            }
            pause(2);
        }
    }

    /** Orphans that have ended may stay listed as zombies until somebody collects them. */
    private static boolean isRunning(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return !stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith("Z");
        } catch (IOException gone) {
            return process.isAlive();
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for PostgreSQL", e);
        }
    }
}
