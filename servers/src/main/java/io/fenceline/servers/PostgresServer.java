package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real PostgreSQL server on a port of its own of 127.0.0.1, with durability on as it is by default. The superuser {@code
 * postgres} needs no password, every other user does.
 *
 * <p>It ends with the JVM, also if that is killed. Its methods are called by one thread at a time.
 */
public final class PostgresServer implements AutoCloseable {

    private static final String SUPERUSER = "postgres";

    private final PostgresPrograms programs;
    private final Unprivileged user;
    private final Path folder;
    private final int port;
    private final Map<String, String> settings;
    private final AtomicInteger databases = new AtomicInteger();
    private PostgresProcess process;

    private PostgresServer(PostgresPrograms programs, Unprivileged user, Path folder, Map<String, String> settings) {
        this.programs = programs;
        this.user = user;
        this.folder = folder;
        this.port = freePort();
        this.settings = settings;
        this.process = launch();
    }

    /**
     * Starts a server with nothing in it.
     *
     * @param settings as in {@code postgresql.conf}; they win over our own
     * @return a server that answers
     */
    public static PostgresServer start(Map<String, String> settings) {
        Unprivileged user = Unprivileged.ofThisUser();
        PostgresPrograms programs = PostgresPrograms.unpacked(user);
        Path folder = Folders.temporary("fenceline-postgresql");
        Folders.copy(programs.emptyData(), folder.resolve("data"));
        write(folder.resolve("data/pg_hba.conf"), """
                host all,replication postgres 127.0.0.1/32 trust
                host all             all      127.0.0.1/32 scram-sha-256
                """);
        user.own(folder);
        return new PostgresServer(programs, user, folder, settings);
    }

    /**
     * Starts a server that follows this one and can only be read. This one is stopped for a moment.
     *
     * @return a hot standby that streams from this server
     */
    public PostgresServer startStandby() {
        stop();
        Path copy = Folders.temporary("fenceline-postgresql");
        Folders.copy(folder.resolve("data"), copy.resolve("data"));
        write(copy.resolve("data/standby.signal"), "");
        user.own(copy);
        startAgain();
        Map<String, String> following = new LinkedHashMap<>(settings);
        following.put("primary_conninfo", "host=127.0.0.1 user=" + SUPERUSER + " port=" + port);
        return new PostgresServer(programs, user, copy, following);
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
     * Returns the driver's URL of a database, for the superuser.
     *
     * @param database its name
     * @return a URL without a password
     */
    public String jdbcUrl(String database) {
        return "jdbc:" + uri(database);
    }

    /**
     * Returns the URI of a database, for the superuser.
     *
     * @param database its name
     * @return a URI without a password
     */
    public String uri(String database) {
        return "postgresql://127.0.0.1:" + port + "/" + database + "?user=" + SUPERUSER;
    }

    /**
     * Returns the URI of the database {@code postgres}, which is always there.
     *
     * @return a URI without a password, for the superuser
     */
    public String uri() {
        return uri(SUPERUSER);
    }

    /**
     * Makes an empty database.
     *
     * @return its name, which no other has
     */
    public String newDatabase() {
        String name = "db" + databases.incrementAndGet();
        execute(SUPERUSER, "CREATE DATABASE " + name + " STRATEGY wal_log");
        return name;
    }

    /**
     * Runs statements as the superuser.
     *
     * @param database where
     * @param sql one statement or several
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

    /** Ends all its processes by {@code SIGKILL} at one moment. */
    public void kill() {
        process.kill();
    }

    /** Stops all its processes by {@code SIGSTOP}: the port still takes connections, and nobody answers. */
    public void pause() {
        process.pause();
    }

    /** Continues what {@link #pause} stopped. */
    public void resume() {
        process.resume();
    }

    /** Starts it again after {@link #stop} or {@link #kill}, on the same port and with the same data. */
    public void startAgain() {
        process = launch();
    }

    /** Ends it and removes its data. */
    @Override
    public void close() {
        if (process.isAlive()) {
            process.kill();
        }
        Folders.remove(folder);
    }

    private PostgresProcess launch() {
        Map<String, String> all = new LinkedHashMap<>(Map.of(
                "listen_addresses", "127.0.0.1",
                "unix_socket_directories", "",
                "shared_buffers", "32MB",
                "max_wal_size", "4GB",
                "logging_collector", "off"));
        all.putAll(settings);
        all.put("port", Integer.toString(port));
        List<String> command = new ArrayList<>(List.of(
                programs.server().toString(), "-D", folder.resolve("data").toString()));
        all.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        return PostgresProcess.start(folder, folder.resolve("data"), user.command(command));
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
