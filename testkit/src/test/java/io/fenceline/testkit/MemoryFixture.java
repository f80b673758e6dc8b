package io.fenceline.testkit;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/** A store in memory on manual time. It cannot be restarted, so a restart is that all connections break. */
final class MemoryFixture implements BackendFixture {

    private final ManualTime time = new ManualTime();
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final TokenMode tokenMode;
    private volatile MemoryStore store;
    private final UnaryOperator<LockBackend> decoration;

    MemoryFixture(TokenMode tokenMode) {
        this(tokenMode, UnaryOperator.identity());
    }

    MemoryFixture(TokenMode tokenMode, UnaryOperator<LockBackend> decoration) {
        this.tokenMode = tokenMode;
        this.store = new MemoryStore(tokenMode, time, time);
        this.decoration = decoration;
    }

    @Override
    public boolean keepsFreeKeys() {
        return tokenMode == TokenMode.COUNTER;
    }

    @Override
    public LockBackend open() {
        LockBackend backend = decoration.apply(new MemoryLockBackend(store));
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return tokenMode;
    }

    @Override
    public void passTime(Duration duration) {
        time.advance(duration);
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of(key.value() + ":1", lockId.text());
    }

    @Override
    public int cycles() {
        return 1000;
    }

    @Override
    public void restart() {
        open.forEach(LockBackend::close);
        open.clear();
    }

    @Override
    public boolean loseEverything() {
        restart();
        store = new MemoryStore(tokenMode, time, time);
        return tokenMode == TokenMode.CLOCK_FLOOR;
    }

    @Override
    public void close() {
        restart();
    }
}
