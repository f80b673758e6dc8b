package io.fenceline.benchmarks;

import io.fenceline.Backends;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Acquire and release of a lock that nobody else wants: through the engine, and on the bare backend beside it. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
@State(Scope.Benchmark)
public class Uncontended {

    private static final Holder HOLDER = Holder.of("benchmark");

    /** {@code memory} or {@code sqlite}. */
    @Param({"memory", "sqlite"})
    String store;

    private Path folder;
    private LockBackend backend;
    private Locks locks;
    private LockOptions unrenewed;

    /** Every thread has a key of its own. */
    @State(Scope.Thread)
    public static class Key {
        final String name = "invoice:" + Thread.currentThread().getId();
        final LockKey key = LockKey.of(name);
    }

    @Setup
    public void open() throws IOException {
        folder = Files.createTempDirectory("fenceline-benchmark");
        backend = Backends.open(store.equals("memory") ? "memory:" : "sqlite:" + folder.resolve("locks.db"));
        locks = Locks.over(backend);
        unrenewed = LockOptions.defaults().withoutRenewal();
    }

    @TearDown
    public void close() throws IOException {
        locks.close();
        backend.close();
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.delete(folder);
    }

    @Benchmark
    public FencingToken engineWithoutRenewal(Key key) throws InterruptedException {
        try (Lease lease = locks.acquire(key.name, unrenewed)) {
            return lease.token();
        }
    }

    @Benchmark
    public FencingToken engineWithRenewal(Key key) throws InterruptedException {
        try (Lease lease = locks.acquire(key.name)) {
            return lease.token();
        }
    }

    @Benchmark
    public boolean bareBackend(Key key) {
        LockId id = LockId.random();
        AcquireRequest request = AcquireRequest.of(key.key, id, Duration.ofSeconds(30), HOLDER);
        boolean granted = backend.acquire(request) instanceof Acquisition.Granted;
        return granted & backend.release(key.key, id);
    }
}
