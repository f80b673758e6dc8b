package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A Redis server of our own, on a free port of the loopback address and in a folder of its own. It ends with this JVM. Not
 * safe for several threads, except that {@link #call} may be used by all.
 */
public final class RedisServer implements AutoCloseable {

    /** Below the ports that systems give to outgoing connections, which else could take ours between two starts. */
    private static final int FIRST_PORT = 10_000;

    private static final int LAST_PORT = 32_000;
    private static final int START_LIMIT_MILLIS = 20_000;

    private final RedisSettings settings;
    private final boolean sentinel;
    private final Path folder;
    private final int port;
    private ServerProcess process;

    private RedisServer(RedisSettings settings, boolean sentinel, Path folder, int port) throws IOException {
        this.settings = settings;
        this.sentinel = sentinel;
        this.folder = folder;
        this.port = port;
        this.process = run();
    }

    /** Starts a server and waits until it answers. The caller closes it. */
    public static RedisServer start(RedisSettings settings) {
        return start(settings, "");
    }

    /** Starts a Sentinel, if it is given something to watch: it wants that in a file, which it writes to. */
    static RedisServer start(RedisSettings settings, String watched) {
        for (int attempt = 1; ; attempt++) {
            try {
                Path folder = Files.createTempDirectory("fenceline-redis");
                Files.writeString(folder.resolve("watched.conf"), watched);
                RedisServer server = new RedisServer(settings, !watched.isEmpty(), folder, freePort());
                if (server.answers()) {
                    return server;
                }
                String said = server.output();
                server.close();
                if (attempt == 3) {
                    throw new IllegalStateException("Redis does not start with " + settings + ": " + said);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns the port, the same for the server's whole life. */
    public int port() {
        return port;
    }

    /** Returns a {@code redis://} URI, with the password if the settings have one. */
    public String uri() {
        String password = settings.valueOf("requirepass");
        return "redis://" + (password.isEmpty() ? "" : ":" + password + "@") + "127.0.0.1:" + port;
    }

    /** Returns whether the server runs, paused or not: false if it was stopped or killed, or ended by itself. */
    public boolean isRunning() {
        return process.isAlive();
    }

    /** Ends the server in good order; what its settings keep is kept. */
    public void stop() {
        process.end("TERM");
    }

    /** Kills the server with {@code SIGKILL}. */
    public void kill() {
        process.end("KILL");
    }

    /** Stops the server by {@code SIGSTOP}: it accepts connections and does not answer. */
    public void pause() {
        process.signal("STOP");
    }

    /** Lets a paused server go on. */
    public void resume() {
        process.signal("CONT");
    }

    /** Starts a server that was stopped or killed on the same port and in the same folder, and waits until it answers. */
    public void startAgain() {
        if (process.isAlive()) {
            throw new IllegalStateException("the server on port " + port + " still runs");
        }
        try {
            process = run();
            if (!answers()) {
                throw new IllegalStateException("Redis does not start again: " + output());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes all data. */
    public void flush() {
        call("FLUSHALL");
    }

    /**
     * Sends one command, as the password's user if the settings have one. Returns a text, which is empty if there is
     * none, a {@link Long}, or a list of such.
     *
     * @throws IllegalStateException if Redis answers with an error
     */
    public Object call(String... command) {
        try (RedisWire wire = new RedisWire(port)) {
            String password = settings.valueOf("requirepass");
            if (!password.isEmpty()) {
                wire.call("AUTH", password);
            }
            return wire.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a value of {@code INFO}, empty if there is none. */
    public String info(String name) {
        return String.valueOf(call("INFO", "everything"))
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** Kills the server and removes its folder. */
    @Override
    public void close() {
        if (process.isAlive()) {
            process.end("KILL");
        }
        Folders.remove(folder);
    }

    /** Tells what the server complained of when it started. */
    String output() throws IOException {
        return Files.readString(outputFile());
    }

    private ServerProcess run() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(RedisProgram.file().toString());
        if (sentinel) {
            command.addAll(List.of(folder.resolve("watched.conf").toString(), "--sentinel"));
        }
        command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
        command.addAll(settings.arguments());
        return ServerProcess.start("TERM", Optional.empty(), outputFile(), command);
    }

    private Path outputFile() {
        return folder.resolve("output");
    }

    /** Waits until the server has read its data and answers; false if it ended instead. */
    private boolean answers() {
        for (int waited = 0; waited < START_LIMIT_MILLIS && process.isAlive(); waited += 5) {
            try {
                call("PING");
                return true;
            } catch (UncheckedIOException | IllegalStateException notYet) {
                ServerProcess.pause(5);
            }
        }
        return false;
    }

    static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException taken) {
                // the next one
            }
        }
    }
}
