package io.fenceline.testkit;

import io.fenceline.LockKey;
import io.fenceline.time.Delays;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A {@link ContendingClient} in a JVM of its own. */
final class ClientProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ChildJvm jvm;
    private final Path tokens;

    private ClientProcess(ChildJvm jvm, Path tokens) {
        this.jvm = jvm;
        this.tokens = tokens;
    }

    /** Starts a client and returns when it has opened its backend. */
    static ClientProcess start(ClientProcessFixture fixture, LockKey key, Path tokens) {
        try {
            if (!Files.exists(tokens)) {
                Files.createFile(tokens);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ChildJvm jvm = ChildJvm.start(
                ContendingClient.class,
                Map.of(ContendingClient.URI_VARIABLE, fixture.uri()),
                key.value(),
                Long.toString(fixture.clientTtl().toMillis()),
                tokens.toString());
        return new ClientProcess(jvm, tokens);
    }

    /** Returns when it was granted some more locks. */
    void awaitGrants(int more) {
        long target = bytes() + (long) more * Long.BYTES;
        long startNanos = System.nanoTime();
        while (bytes() < target) {
            if (System.nanoTime() - startNanos > PATIENCE.toNanos()) {
                throw new AssertionError("client " + jvm.pid() + (jvm.isAlive() ? "" : ", which has ended,")
                        + " was not granted " + more + " locks within " + PATIENCE);
            }
            park(Duration.ofMillis(1));
        }
    }

    boolean isAlive() {
        return jvm.isAlive();
    }

    /** Stops it at an arbitrary moment. */
    void stop() {
        jvm.stop();
    }

    /** Lets it continue. */
    void resume() {
        jvm.resume();
    }

    /** Kills it at an arbitrary moment. */
    void kill() {
        jvm.kill();
    }

    /** Lets it end by itself. */
    int end() {
        return jvm.end();
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

    private long bytes() {
        try {
            return Files.size(tokens);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
