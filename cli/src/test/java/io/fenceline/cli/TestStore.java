package io.fenceline.cli;

import io.fenceline.Backends;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A store that commands under test work on.
 *
 * @param uri what {@code --backend} takes
 * @param whenOpen what a process that has opened it has open; tells a path under {@code /proc/PID/fd}
 * @param backend this JVM's own way to it
 */
record TestStore(String uri, Predicate<String> whenOpen, LockBackend backend) implements AutoCloseable {

    /** A SQLite file. */
    static TestStore in(Path folder) {
        try {
            String file = folder.toRealPath().resolve("locks.db").toString();
            return at("sqlite:" + file, file::equals);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static TestStore at(String uri, Predicate<String> whenOpen) {
        LockBackend backend = Backends.open(uri);
        backend.ability(SchemaControl.class).ifPresent(SchemaControl::installSchema);
        return new TestStore(uri, whenOpen, backend);
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
