package io.fenceline.testkit;

import io.fenceline.spi.TokenMode;
import org.junit.jupiter.api.Nested;

class MemoryLockBackendClockFloorContractTest extends MemoryLockBackendContractTest {

    @Override
    protected BackendFixture newFixture() {
        return new MemoryFixture(TokenMode.CLOCK_FLOOR);
    }

    @Nested
    class Succession extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return MemoryLockBackendClockFloorContractTest.this.newFixture();
        }
    }
}
