package io.fenceline.testkit;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Lincheck runs short random programs of these operations on several threads and checks that every outcome is one that
 * {@link SequentialLocks} gives in some order. Time is an operation too: each {@link #tick} moves the store's clock.
 */
@Param(name = "key", gen = IntGen.class, conf = "1:2")
@Param(name = "id", gen = IntGen.class, conf = "1:3")
public class MemoryLockBackendLinearizabilityTest {

    /** Leases run for two ticks. */
    static final Duration TTL = Duration.ofMillis(2);

    private static final Holder HOLDER = Holder.of("tester");

    private final AtomicLong time = new AtomicLong();
    private final LockBackend backend = newBackend(time);

    LockBackend newBackend(AtomicLong time) {
        return new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time::get, () -> 0));
    }

    Class<?> specification() {
        return SequentialLocks.class;
    }

    @Operation
    public long acquire(@Param(name = "key") int key, @Param(name = "id") int id) {
        Acquisition answer = backend.acquire(AcquireRequest.of(keyOf(key), idOf(id), TTL, HOLDER));
        return answer instanceof Granted granted ? granted.grant().token().value() : 0;
    }

    @Operation
    public boolean extend(@Param(name = "key") int key, @Param(name = "id") int id) {
        return backend.extend(keyOf(key), idOf(id), TTL).isPresent();
    }

    @Operation
    public boolean release(@Param(name = "key") int key, @Param(name = "id") int id) {
        return backend.release(keyOf(key), idOf(id));
    }

    @Operation
    public long lookup(@Param(name = "key") int key) {
        return backend.lookup(keyOf(key))
                .map(LockRecord::token)
                .map(token -> token.value())
                .orElse(0L);
    }

    @Operation
    public long forceRelease(@Param(name = "key") int key) {
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
        return catalog.forceRelease(keyOf(key), HOLDER)
                .map(LockRecord::token)
                .map(token -> token.value())
                .orElse(0L);
    }

    @Operation
    public void tick() {
        time.addAndGet(1_000_000);
    }

    @Test
    void holdsUnderTheSchedulesThatTheModelCheckerTries() {
        new ModelCheckingOptions()
                .iterations(8)
                .invocationsPerIteration(150)
                .threads(3)
                .actorsPerThread(3)
                .sequentialSpecification(specification())
                .check(getClass());
    }

    @Test
    void holdsUnderStress() {
        new StressOptions()
                .iterations(20)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsPerThread(4)
                .sequentialSpecification(specification())
                .check(getClass());
    }

    private static LockKey keyOf(int key) {
        return LockKey.of("key " + key);
    }

    private static LockId idOf(int id) {
        return new LockId(0, id);
    }
}
