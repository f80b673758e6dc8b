package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A real PostgreSQL server on a port of its own of 127.0.0.1, with durability on as it is by default. The superuser {@code
 * postgres} needs no password, every other user does.
 *
 * <p>It ends with the JVM, also if that is killed. Its methods are called by one thread at a time.
 */
public final class PostgresServer extends DatabaseServer {

    private static final String SUPERUSER = "postgres";

    private final PostgresPrograms programs;
    private final Unprivileged user;
    private PostgresProcess process;

    private PostgresServer(PostgresPrograms programs, Unprivileged user, Path folder, Map<String, String> settings) {
        super(folder, settings);
        this.programs = programs;
        this.user = user;
        this.process = launch();
    }

    /** Starts an empty server and waits until it answers. {@code settings} override ours. */
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
     * Starts a server that follows this one and can only be read. This one is stopped for a moment. Returns a hot
     * standby that streams from this server.
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

    @Override
    public String uri(String database) {
        return "postgresql://127.0.0.1:" + port + "/" + database + "?user=" + SUPERUSER;
    }

    /** Returns the URI of the database {@code postgres}, which always exists. */
    public String uri() {
        return uri(SUPERUSER);
    }

    @Override
    String adminDatabase() {
        return SUPERUSER;
    }

    @Override
    String createDatabase(String name) {
        return "CREATE DATABASE " + name + " STRATEGY wal_log";
    }

    @Override
    public boolean isRunning() {
        return process.isAlive();
    }

    @Override
    public void stop() {
        process.stop();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void pause() {
        process.pause();
    }

    @Override
    public void resume() {
        process.resume();
    }

    @Override
    public void startAgain() {
        process = launch();
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

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
