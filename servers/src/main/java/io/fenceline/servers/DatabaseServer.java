package io.fenceline.servers;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The parts that the SQL servers share: a port of 127.0.0.1, databases and statements. */
public abstract class DatabaseServer implements AutoCloseable {

    final Path folder;
    final int port = ServerProcess.freePort();
    final Map<String, String> settings;
    private final AtomicInteger databases = new AtomicInteger();

    DatabaseServer(Path folder, Map<String, String> settings) {
        this.folder = folder;
        this.settings = settings;
    }

    /** Returns a port of 127.0.0.1, the same after every restart. */
    public int port() {
        return port;
    }

    /** Returns the URI of a database, for the superuser, without a password. */
    public abstract String uri(String database);

    /** Returns the driver's URL of a database, for the superuser, without a password. */
    public String jdbcUrl(String database) {
        return "jdbc:" + uri(database);
    }

    /** Makes an empty database and returns its name. */
    public String newDatabase() {
        String name = "db" + databases.incrementAndGet();
        execute(adminDatabase(), createDatabase(name));
        return name;
    }

    abstract String adminDatabase();

    abstract String createDatabase(String name);

    /** Runs SQL as the superuser. */
    public void execute(String database, String sql) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl(database));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** Returns whether the server runs, paused or not. */
    public abstract boolean isRunning();

    /** Stops it as an operator does: connections are cut, data are written, the port is closed. */
    public abstract void stop();

    /** Ends all its processes by {@code SIGKILL} at one moment. */
    public abstract void kill();

    /** Stops all its processes by {@code SIGSTOP}: the port still takes connections, and nobody answers. */
    public abstract void pause();

    /** Continues what {@link #pause} stopped. */
    public abstract void resume();

    /** Starts it again after {@link #stop} or {@link #kill}, on the same port and with the same data. */
    public abstract void startAgain();

    /** Ends it and removes its data. */
    @Override
    public void close() {
        if (isRunning()) {
            kill();
        }
        Folders.remove(folder);
    }
}
