package io.fenceline.testkit;

import io.fenceline.LockKey;
import io.fenceline.time.Delays;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link ContendingClient} in a JVM of its own. */
final class ClientProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final Path tokens;

    private ClientProcess(Process process, Path tokens) {
        this.process = process;
        this.tokens = tokens;
    }

    /** Starts a client and returns when it has opened its backend. */
    static ClientProcess start(ClientProcessFixture fixture, LockKey key, Path tokens) {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                ContendingClient.class.getName(),
                key.value(),
                Long.toString(fixture.clientTtl().toMillis()),
                tokens.toString());
        builder.environment().put(ContendingClient.URI_VARIABLE, fixture.uri());
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        try {
            if (!Files.exists(tokens)) {
                Files.createFile(tokens);
            }
            ClientProcess client = new ClientProcess(builder.start(), tokens);
            client.awaitReady();
            return client;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when it was granted some more locks. */
    void awaitGrants(int more) {
        long target = bytes() + (long) more * Long.BYTES;
        long startNanos = System.nanoTime();
        while (bytes() < target) {
            if (System.nanoTime() - startNanos > PATIENCE.toNanos()) {
                throw new AssertionError("client " + process.pid() + (process.isAlive() ? "" : ", which has ended,")
                        + " was not granted " + more + " locks within " + PATIENCE);
            }
            park(Duration.ofMillis(1));
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Stops it in the middle of whatever it does. */
    void stop() {
        signal("STOP");
    }

    /** Lets it go on. */
    void resume() {
        signal("CONT");
    }

    /** Kills it in the middle of whatever it does. */
    void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** Lets it end by itself. */
    int end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return awaitExit();
    }

    /** Returns the tokens in a file of tokens, in the order in which they were granted. */
    static List<Long> tokens(Path file) {
        List<Long> tokens = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            while (true) {
                tokens.add(in.readLong());
            }
        } catch (EOFException end) {
            return tokens;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void park(Duration time) {
        try {
            Delays.system().park(time.toNanos());
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while clients ran", e);
        }
    }

    @Override
    public void close() {
        kill();
    }

    private void awaitReady() throws IOException {
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        if (!ContendingClient.READY.equals(line)) {
            kill();
            throw new AssertionError("a client did not start, it said: " + line);
        }
    }

    private long bytes() {
        try {
            return Files.size(tokens);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int awaitExit() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("client " + process.pid() + " does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while a client ended", e);
        }
    }

    private void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new AssertionError("kill -" + name + " " + process.pid() + " failed with " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while a client was signalled", e);
        }
    }
}
