package io.fenceline.jdbc.h2;

import io.fenceline.Backends;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** A file, opened by a URI as the command line does it. */
final class H2FileFixture implements BackendFixture {

    private final Path folder;
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();

    H2FileFixture() {
        try {
            folder = Files.createTempDirectory("fenceline-h2");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public LockBackend open() {
        LockBackend backend = Backends.open("h2:" + folder.resolve("locks"));
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    /** Calls take microseconds. */
    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(250);
    }

    @Override
    public void restart() {
        open.forEach(LockBackend::close);
        open.clear();
    }

    @Override
    public void close() {
        restart();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
