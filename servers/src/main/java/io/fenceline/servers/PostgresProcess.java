package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A running PostgreSQL server: a {@link ServerProcess} with child processes, which are paused and killed with it. */
final class PostgresProcess {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ServerProcess server;

    private PostgresProcess(ServerProcess server) {
        this.server = server;
    }

    /** Starts a server and waits until it answers. */
    static PostgresProcess start(Path folder, Path data, List<String> command) {
        Path log = folder.resolve("log");
        Path status = data.resolve("postmaster.pid");
        try {
            Files.deleteIfExists(status);
            ServerProcess server = ServerProcess.start("QUIT", Optional.of(folder), log, command);
            long end = System.nanoTime() + LIMIT.toNanos();
            while (!isReady(status)) {
                if (!server.isAlive() || System.nanoTime() - end > 0) {
                    server.end("KILL");
                    throw new IllegalStateException("PostgreSQL does not start: " + Files.readString(log));
                }
                ServerProcess.pause(5);
            }
            return new PostgresProcess(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server writes its state into the last line of a file. */
    private static boolean isReady(Path status) throws IOException {
        try {
            List<String> lines = Files.readAllLines(status);
            return lines.size() >= 8 && lines.get(7).strip().equals("ready");
        } catch (NoSuchFileException notYet) {
            return false;
        }
    }

    /** Ends it as an operator does: connections are cut, data are written. */
    void stop() {
        server.end("INT");
    }

    /** Ends all its processes at one moment, and waits until none is left. */
    void kill() {
        List<Long> all = frozen();
        signal("KILL", all);
        server.end("KILL");
        long end = System.nanoTime() + LIMIT.toNanos();
        for (long pid : all) {
            while (ServerProcess.isRunning(pid)) {
                if (System.nanoTime() - end > 0) {
                    throw new IllegalStateException("process " + pid + " does not end");
                }
                ServerProcess.pause(2);
            }
        }
    }

    void pause() {
        frozen();
    }

    void resume() {
        List<Long> all = children();
        all.add(server.pid());
        signal("CONT", all);
    }

    boolean isAlive() {
        return server.isAlive();
    }

    /** Stops the parent first, which then makes no more children. */
    private List<Long> frozen() {
        signal("STOP", List.of(server.pid()));
        List<Long> all = children();
        signal("STOP", all);
        all.add(server.pid());
        return all;
    }

    private List<Long> children() {
        List<Long> pids = new ArrayList<>();
        ProcessHandle.of(server.pid())
                .ifPresent(parent -> parent.descendants().forEach(child -> pids.add(child.pid())));
        return pids;
    }

    /** A process that has ended already makes no difference. */
    private static void signal(String name, List<Long> pids) {
        List<String> command =
                new ArrayList<>(List.of("sh", "-c", "kill -" + name + " \"$@\" 2>/dev/null; true", "sh"));
        pids.forEach(pid -> command.add(Long.toString(pid)));
        if (!pids.isEmpty()) {
            Command.run(command);
        }
    }
}
