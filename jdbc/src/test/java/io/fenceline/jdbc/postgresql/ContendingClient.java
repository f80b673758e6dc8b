package io.fenceline.jdbc.postgresql;

import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that takes and releases a lock as fast as it can, until it is ended. */
final class ContendingClient implements AutoCloseable {

    static final Duration TTL = Duration.ofMillis(300);

    private final Process process;

    private ContendingClient(Process process) {
        this.process = process;
    }

    public static void main(String[] args) {
        LockKey key = LockKey.of(args[1]);
        try (LockBackend backend = Backends.open(args[0])) {
            for (int grants = 0; ; ) {
                LockId id = LockId.random();
                if (backend.acquire(AcquireRequest.of(key, id, TTL, Holder.ofThisProcess())) instanceof Granted) {
                    backend.release(key, id);
                    if (++grants == 20) {
                        System.out.println("warm");
                        System.out.flush();
                    }
                }
            }
        }
    }

    static ContendingClient start(String uri, LockKey key) {
        try {
            Process process = new ProcessBuilder(JvmCommand.of(ContendingClient.class, uri, key.value()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            if (!"warm".equals(line)) {
                throw new AssertionError("the client said " + line);
            }
            return new ContendingClient(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal, for instance {@code STOP}. */
    void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
