package io.fenceline.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A MariaDB server that runs. A shell watches over it: when the JVM ends, however it ends, the pipe to the shell closes, and the
 * shell kills the server and removes its folder.
 */
final class MariaDbProcess {

    private static final int PATIENCE_SECONDS = 90;

    private static final String WATCH = """
            folder=$1; shift
            "$@" </dev/null >"$folder/log" 2>&1 & server=$!
            echo $server
            if read order; then kill -"$order" $server; wait $server; exit; fi
            kill -KILL $server; wait $server; rm -rf "$folder"
            """;

    private final Process shell;
    private final long pid;

    private MariaDbProcess(Process shell, long pid) {
        this.shell = shell;
        this.pid = pid;
    }

    /** Starts a server and waits until it answers. */
    static MariaDbProcess start(Path folder, List<String> command) {
        List<String> watched = new ArrayList<>(List.of("sh", "-c", WATCH, "sh", folder.toString()));
        watched.addAll(command);
        try {
            Files.writeString(folder.resolve("log"), "");
            Process shell = new ProcessBuilder(watched)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            long pid =
                    Long.parseLong(shell.inputReader(StandardCharsets.US_ASCII).readLine());
            MariaDbProcess process = new MariaDbProcess(shell, pid);
            process.awaitReady(folder.resolve("log"));
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReady(Path log) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.readString(log, StandardCharsets.ISO_8859_1).contains("ready for connections")) {
            if (!isAlive() || System.nanoTime() - end > 0) {
                String said = Files.readString(log, StandardCharsets.ISO_8859_1);
                order("KILL");
                throw new IllegalStateException("MariaDB does not start: " + said);
            }
            pause(10);
        }
    }

    /** Ends it as an operator does: connections are cut, data are written. */
    void stop() {
        signal("CONT");
        order("TERM");
    }

    void kill() {
        order("KILL");
    }

    private void order(String signal) {
        if (shell.isAlive()) {
            try (OutputStream orders = shell.getOutputStream()) {
                orders.write((signal + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            awaitEnd();
        }
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

    /** Sends a signal, for instance {@code STOP}. A process that is gone already makes no difference. */
    void signal(String name) {
        Command.run("sh", "-c", "kill -" + name + " " + pid + " 2>/dev/null; true");
    }

    /** Once it has ended by itself, nobody has collected it yet: it is listed, and is a zombie. */
    boolean isAlive() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return !stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith("Z");
        } catch (IOException gone) {
            return ProcessHandle.of(pid).isPresent();
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for MariaDB", e);
    }
}
