package io.fenceline.testkit;

import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.sharding.ShardedLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;

/** The contracts on three stores in memory that count tokens. The catalog is that of stores with a clock floor, whose tokens have no limit of their own. */
class ShardedMemoryContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new Fixture(TokenMode.COUNTER);
    }

    @Nested
    class ClockFloor extends LockBackendContract {
        @Override
        protected BackendFixture newFixture() {
            return new Fixture(TokenMode.CLOCK_FLOOR);
        }
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new Fixture(TokenMode.CLOCK_FLOOR);
        }
    }

    @Nested
    class Signals extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return new Fixture(TokenMode.COUNTER);
        }
    }

    @Nested
    class Succession extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return new Fixture(TokenMode.CLOCK_FLOOR);
        }
    }

    private static final class Fixture implements BackendFixture {

        private final ManualTime time = new ManualTime();
        private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
        private final TokenMode tokenMode;
        private final List<MemoryStore> stores;

        Fixture(TokenMode tokenMode) {
            this.tokenMode = tokenMode;
            this.stores = Stream.generate(() -> new MemoryStore(tokenMode, time, time))
                    .limit(3)
                    .toList();
        }

        @Override
        public LockBackend open() {
            LockBackend backend = ShardedLockBackend.over(
                    0,
                    Map.of(
                            "a", new MemoryLockBackend(stores.get(0)),
                            "b", new MemoryLockBackend(stores.get(1)),
                            "c", new MemoryLockBackend(stores.get(2))));
            open.add(backend);
            return backend;
        }

        @Override
        public TokenMode tokenMode() {
            return tokenMode;
        }

        @Override
        public boolean keepsFreeKeys() {
            return tokenMode == TokenMode.COUNTER;
        }

        @Override
        public void passTime(Duration duration) {
            time.advance(duration);
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
}
