package io.fenceline.testkit;

import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The same with a key that is forgotten and made anew all the time. Only the wall clock moves here, since a grant reads both
 * clocks. The specification is the store itself, used by one thread; it has one key, since the tokens of forgotten keys may
 * raise those of others.
 */
@Param(name = "key", gen = IntGen.class, conf = "1:1")
@Param(name = "id", gen = IntGen.class, conf = "1:3")
public class ClockFloorLinearizabilityTest extends MemoryLockBackendLinearizabilityTest {

    @Override
    LockBackend newBackend(AtomicLong time) {
        return new MemoryLockBackend(new MemoryStore(TokenMode.CLOCK_FLOOR, () -> 0, time::get));
    }

    @Override
    Class<?> specification() {
        return getClass();
    }
}
