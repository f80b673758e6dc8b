package io.fenceline.redis;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** Several servers of one store, which go on through the restart of clients; what they do in a fail-over is tested elsewhere. */
final class ReplicatedFixture implements BackendFixture {

    private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final Supplier<RedisLockBackend> opening;

    ReplicatedFixture(Runnable flush, Supplier<RedisLockBackend> opening) {
        this.opening = opening;
        flush.run();
    }

    @Override
    public RedisLockBackend open() {
        RedisLockBackend backend = opening.get();
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.CLOCK_FLOOR;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(250);
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return RedisFixture.internalNames("fenceline", key, lockId);
    }

    @Override
    public void restart() {
        open.forEach(LockBackend::close);
        open.clear();
    }

    @Override
    public void close() {
        restart();
    }
}
