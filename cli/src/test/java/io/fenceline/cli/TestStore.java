package io.fenceline.cli;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Backends;
import io.fenceline.spi.Grant;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A store that commands under test work on.
 *
 * @param file where it is, the real path
 * @param backend this JVM's own way to it
 */
record TestStore(Path file, LockBackend backend) implements AutoCloseable {

    static TestStore in(Path folder) {
        try {
            Path file = folder.toRealPath().resolve("locks.db");
            return new TestStore(file, Backends.open("sqlite:" + file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String uri() {
        return "sqlite:" + file;
    }

    /** Runs a command on it inside this JVM. */
    CommandRun run(String... arguments) {
        return CommandRun.of(Map.of("FENCELINE_BACKEND", uri()), "", arguments);
    }

    /** Takes a lock for longer than any test runs. */
    Grant hold(String key, String holder) {
        AcquireRequest request =
                AcquireRequest.of(LockKey.of(key), LockId.random(), Duration.ofMinutes(10), Holder.of(holder));
        return ((Acquisition.Granted) backend.acquire(request)).grant();
    }

    boolean isLocked(String key) {
        return backend.isLocked(LockKey.of(key));
    }

    @Override
    public void close() {
        backend.close();
    }
}
