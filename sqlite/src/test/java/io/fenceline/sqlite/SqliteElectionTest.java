package io.fenceline.sqlite;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ElectionContract;

class SqliteElectionTest extends ElectionContract {

    @Override
    protected BackendFixture newFixture() {
        return new SqliteFixture();
    }
}
