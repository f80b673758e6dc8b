package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.sharding.ShardedLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** Stores in memory, in sets of several generations. */
@Tag("G2")
abstract class ShardedStores {

    static final Holder OPERATOR = Holder.of("operator");
    static final Duration TTL = Duration.ofSeconds(30);

    /** Threads of their own for processes that come at the same time. */
    static final Executor PROCESSES = task -> new Thread(task, "another-process").start();

    final ManualTime time = new ManualTime();
    final Map<String, MemoryStore> stores = new HashMap<>();

    ShardedLockBackend open(int generation, String... names) {
        return open(generation, TokenMode.COUNTER, names);
    }

    ShardedLockBackend open(int generation, TokenMode mode, String... names) {
        return ShardedLockBackend.over(
                generation,
                Stream.of(names).collect(Collectors.toMap(Function.identity(), name -> backend(name, mode))));
    }

    /** Opens a set of stores that follows another one. */
    ShardedLockBackend install(int generation, String... names) {
        ShardedLockBackend backend = open(generation, names);
        installed(backend);
        return backend;
    }

    static void installed(LockBackend backend) {
        backend.ability(SchemaControl.class).orElseThrow().installSchema();
    }

    LockBackend backend(String name, TokenMode mode) {
        return new MemoryLockBackend(stores.computeIfAbsent(name, unknown -> new MemoryStore(mode, time, time)));
    }

    static List<LockKey> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> LockKey.of("key " + i)).toList();
    }

    static FencingToken cycle(LockBackend backend, LockKey key) throws InterruptedException {
        try (Locks locks = Locks.over(backend);
                Lease lease = locks.acquire(key.value())) {
            return lease.token();
        }
    }

    LockBackend store(String name) {
        return backend(name, TokenMode.COUNTER);
    }

    static void assertRefused(Runnable opening, String message) {
        assertThatThrownBy(opening::run)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining(message)
                .extracting("code")
                .isEqualTo(ErrorCode.MISCONFIGURED);
    }
}
