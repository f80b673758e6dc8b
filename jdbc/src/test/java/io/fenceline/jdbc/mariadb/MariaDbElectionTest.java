package io.fenceline.jdbc.mariadb;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ElectionContract;

class MariaDbElectionTest extends ElectionContract {

    @Override
    protected BackendFixture newFixture() {
        return new MariaDbFixture();
    }
}
