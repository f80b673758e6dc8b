package io.fenceline.jdbc.h2;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ElectionContract;

class H2ElectionTest extends ElectionContract {

    @Override
    protected BackendFixture newFixture() {
        return H2Fixture.inMemory();
    }
}
