package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A real RabbitMQ node, with its port mapper, on free ports of the loopback address and in a folder of its own. It is in no Maven artifact, so it is
 * used where Debian's packages are installed or unpacked. The user {@code guest} has the password {@code guest}. It ends with this JVM. Not safe
 * for several threads.
 */
public final class RabbitServer implements AutoCloseable {

    /** The environment variable that names the folder where Debian's packages were unpacked. */
    public static final String ROOT_VARIABLE = "FENCELINE_RABBITMQ";

    private static final int START_LIMIT_MILLIS = 60_000;

    /** Debian's own launcher of Erlang knows one place only. */
    private static final String ERL = "#!/bin/sh\nexec \"$BINDIR/erlexec\" \"$@\"\n";

    private final Path folder;
    private final int port;
    private final ServerProcess ports;
    private final ServerProcess node;

    private RabbitServer(Path folder, int port, ServerProcess ports, ServerProcess node) {
        this.folder = folder;
        this.port = port;
        this.ports = ports;
        this.node = node;
    }

    /** Starts a node and waits until it takes connections. Returns empty if RabbitMQ is not on this machine. */
    public static Optional<RabbitServer> find() {
        String unpacked = System.getenv(ROOT_VARIABLE);
        Path root = Path.of(unpacked == null || unpacked.isEmpty() ? "/" : unpacked);
        return only(root.resolve("usr/lib/rabbitmq/lib"), "rabbitmq_server-")
                .flatMap(home -> only(root.resolve("usr/lib/erlang"), "erts-")
                        .map(erlang -> start(home, erlang.resolve("bin"))));
    }

    /** Returns where RabbitMQ was looked for, for those who find none. */
    public static String places() {
        return "environment variable " + ROOT_VARIABLE
                + " (where Debian's packages of RabbitMQ and Erlang are unpacked)," + " package rabbitmq-server";
    }

    private static Optional<Path> only(Path folder, String prefix) {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(child -> child.getFileName().toString().startsWith(prefix))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RabbitServer start(Path home, Path erlang) {
        try {
            Path folder = Folders.temporary("fenceline-rabbitmq");
            Files.writeString(folder.resolve("plugins"), "[].");
            Path launcher = Files.writeString(
                    Files.createDirectory(folder.resolve("bin")).resolve("erl"), ERL);
            Command.run("chmod", "+x", launcher.toString());
            int port = RedisServer.freePort();
            Map<String, String> settings = settings(folder, home, erlang, port);
            ServerProcess ports = ServerProcess.start(
                    "KILL",
                    Optional.empty(),
                    folder.resolve("ports"),
                    command(settings, erlang.resolve("epmd").toString()));
            ServerProcess node = ServerProcess.start(
                    "KILL",
                    Optional.of(folder),
                    folder.resolve("output"),
                    command(settings, home.resolve("sbin/rabbitmq-server").toString()));
            RabbitServer server = new RabbitServer(folder, port, ports, node);
            server.awaitStart();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> settings(Path folder, Path home, Path erlang, int port) {
        return Map.ofEntries(
                Map.entry("PATH", folder.resolve("bin") + ":" + System.getenv("PATH")),
                Map.entry("HOME", folder.toString()),
                Map.entry("ROOTDIR", erlang.resolve("../..").normalize().toString()),
                Map.entry("BINDIR", erlang.toString()),
                Map.entry("EMU", "beam"),
                Map.entry("PROGNAME", "erl"),
                Map.entry("ERL_FLAGS", "-kernel inet_dist_use_interface {127,0,0,1}"),
                Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                Map.entry("ERL_EPMD_PORT", Integer.toString(RedisServer.freePort())),
                Map.entry("RABBITMQ_HOME", home.toString()),
                Map.entry("RABBITMQ_NODENAME", "fenceline@localhost"),
                Map.entry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1"),
                Map.entry("RABBITMQ_NODE_PORT", Integer.toString(port)),
                Map.entry("RABBITMQ_DIST_PORT", Integer.toString(RedisServer.freePort())),
                Map.entry("RABBITMQ_MNESIA_BASE", folder.resolve("data").toString()),
                Map.entry(
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                        folder.resolve("plugins").toString()),
                Map.entry("RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq").toString()),
                Map.entry("RABBITMQ_CONF_ENV_FILE", folder.resolve("none").toString()),
                Map.entry("RABBITMQ_LOGS", "-"),
                // Its script then becomes the node instead of watching over it.
                Map.entry("RUNNING_UNDER_SYSTEMD", "true"));
    }

    private static List<String> command(Map<String, String> settings, String program) {
        List<String> command = new ArrayList<>(List.of("env"));
        settings.forEach((name, value) -> command.add(name + "=" + value));
        command.add(program);
        return command;
    }

    private void awaitStart() throws IOException {
        for (int waited = 0; !output().contains("Server startup complete"); waited += 20) {
            if (waited > START_LIMIT_MILLIS || !node.isAlive()) {
                String said = output();
                close();
                throw new IllegalStateException("RabbitMQ does not start: " + said);
            }
            ServerProcess.pause(20);
        }
    }

    private String output() throws IOException {
        Path output = folder.resolve("output");
        return Files.exists(output) ? Files.readString(output) : "";
    }

    /** Returns the port. */
    public int port() {
        return port;
    }

    /** Kills the node and removes its folder. */
    @Override
    public void close() {
        node.end("KILL");
        ports.end("KILL");
        Folders.remove(folder);
    }
}
