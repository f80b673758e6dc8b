package io.fenceline.testkit;

import io.fenceline.spi.TokenMode;

class MemoryLockBackendClockFloorContractTest extends MemoryLockBackendContractTest {

    @Override
    protected BackendFixture newFixture() {
        return new MemoryFixture(TokenMode.CLOCK_FLOOR);
    }
}
