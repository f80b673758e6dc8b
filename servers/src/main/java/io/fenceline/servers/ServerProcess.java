package io.fenceline.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A running server, child of a shell that watches over it. When this JVM ends, however it ends, the shell's input ends. The shell
 * then ends the server and removes its folder.
 */
final class ServerProcess {

    private static final int LIMIT_SECONDS = 90;

    /**
     * The input is the signal to end the server with. The shell collects the server, so its number is not reused before. The server is in a
     * session of its own where the system can do that: Ctrl-C in a terminal ends the program first, and its server after it.
     */
    private static final String WATCH = """
            last=$1 folder=$2 output=$3; shift 3
            trap '' INT
            $(command -v setsid) "$@" </dev/null >"$output" 2>&1 & server=$!
            echo $server
            if read order; then kill -"$order" $server; kill -CONT $server; wait $server; exit; fi
            kill -"$last" $server; kill -CONT $server; wait $server; [ -z "$folder" ] || rm -rf "$folder"
            """;

    private final Process shell;
    private final long pid;

    private ServerProcess(Process shell, long pid) {
        this.shell = shell;
        this.pid = pid;
    }

    /** Starts a server. */
    static ServerProcess start(String last, Optional<Path> folder, Path output, List<String> command) {
        List<String> watched = new ArrayList<>(List.of("sh", "-c", WATCH, "sh", last));
        watched.add(folder.map(Path::toString).orElse(""));
        watched.add(output.toString());
        watched.addAll(command);
        try {
            Files.deleteIfExists(output); // readers must not take the output of an earlier run for this one's
            Process shell = new ProcessBuilder(watched)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String pid = shell.inputReader(StandardCharsets.US_ASCII).readLine();
            return new ServerProcess(shell, Long.parseLong(pid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return pid;
    }

    /** Ends the server by a signal, also if it is paused, and waits until it has ended. */
    void end(String signal) {
        if (!shell.isAlive()) {
            return;
        }
        try (OutputStream orders = shell.getOutputStream()) {
            orders.write((signal + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            if (!shell.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                signal("KILL");
                shell.waitFor();
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Sends a signal, for instance {@code STOP}; no-op if the server has ended. */
    void signal(String name) {
        Command.run("sh", "-c", "kill -" + name + " " + pid + " 2>/dev/null; true");
    }

    boolean isAlive() {
        return isRunning(pid);
    }

    /** A process that has ended stays listed as a zombie until its parent collects it. */
    static boolean isRunning(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return !stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith("Z");
        } catch (IOException gone) {
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        }
    }

    static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Returns a free port of the loopback address. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for a server", e);
    }
}
