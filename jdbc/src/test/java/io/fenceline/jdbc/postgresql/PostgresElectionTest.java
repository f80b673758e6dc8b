package io.fenceline.jdbc.postgresql;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ElectionContract;

class PostgresElectionTest extends ElectionContract {

    @Override
    protected BackendFixture newFixture() {
        return new PostgresFixture();
    }
}
