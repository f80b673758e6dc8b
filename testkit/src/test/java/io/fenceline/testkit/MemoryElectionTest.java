package io.fenceline.testkit;

import io.fenceline.spi.TokenMode;

class MemoryElectionTest extends ElectionContract {

    @Override
    protected BackendFixture newFixture() {
        return new MemoryFixture(TokenMode.COUNTER);
    }
}
