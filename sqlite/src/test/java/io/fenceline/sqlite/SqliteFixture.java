package io.fenceline.sqlite;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.OutageFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** A store in a folder of its own, on a clock that is moved by hand. An outage is that the folder is somewhere else. */
final class SqliteFixture implements OutageFixture {

    private final ManualMachine machine = new ManualMachine();
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final Path folder;

    SqliteFixture() {
        try {
            folder = Files.createTempDirectory("fenceline");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public LockBackend open() {
        LockBackend backend = SqliteLockBackend.open(folder.resolve("locks.db"), SqliteOptions.defaults(), machine);
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public void passTime(Duration time) {
        machine.pass(time);
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of("fenceline_lock", "fenceline_audit", lockId.text(), key.value() + "\u0001");
    }

    @Override
    public void restart() {
        open.forEach(LockBackend::close);
        open.clear();
    }

    @Override
    public void stopStore() {
        move(folder, away());
    }

    @Override
    public void startStore() {
        move(away(), folder);
    }

    @Override
    public void close() {
        restart();
        remove(folder);
        remove(away());
    }

    private Path away() {
        return folder.resolveSibling(folder.getFileName() + "-away");
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
