package io.fenceline.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A running {@code redis-server}, child of a shell that ends it when the shell's input ends: when this JVM dies, however it
 * dies.
 */
final class RedisProcess {

    /** $0 is where the server's output goes. The shell ends when the server does, its watch when the input does. */
    private static final String SHELL = """
            exec 3<&0
            "$@" </dev/null 3<&- >"$0" 2>&1 &
            server=$!
            echo $server
            (cat <&3 >/dev/null; kill -CONT $server; kill $server) >/dev/null 2>&1 &
            exec 3<&- 2>/dev/null
            wait $server
            """;

    private static final int PATIENCE_SECONDS = 20;

    private final Process shell;
    private final long pid;

    private RedisProcess(Process shell, long pid) {
        this.shell = shell;
        this.pid = pid;
    }

    static RedisProcess start(Path output, List<String> command) throws IOException {
        List<String> line = new ArrayList<>(List.of("sh", "-c", SHELL, output.toString()));
        line.addAll(command);
        Process shell = new ProcessBuilder(line)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        // Once the server has ended by itself, the watch must not outlive it and end a stranger of the same number.
        Thread end = new Thread(() -> closeInputAtEnd(shell), "redis-shell-end");
        end.setDaemon(true);
        end.start();
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8));
        return new RedisProcess(shell, Long.parseLong(reader.readLine()));
    }

    boolean isAlive() {
        return shell.isAlive();
    }

    /** Ends the server in good order, also if it is paused. */
    void stop() {
        closeInput(shell);
        awaitEnd();
    }

    void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    void kill() {
        signal("KILL");
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            if (!shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                signal("KILL");
                shell.waitFor();
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while a server was told to end", e);
    }

    private static void closeInputAtEnd(Process shell) {
        try {
            shell.waitFor();
            closeInput(shell);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static void closeInput(Process shell) {
        try {
            shell.getOutputStream().close();
        } catch (IOException ended) {
            // the shell is gone, and the server with it
        }
    }
}
