package io.fenceline.jdbc.mariadb;

import io.fenceline.testkit.ClientProcessFixture;
import io.fenceline.testkit.TurnTakingContract;

/** Several processes that want one lock on MariaDB. */
class MariaDbProcessesTest extends TurnTakingContract {

    @Override
    protected ClientProcessFixture newFixture() {
        return new MariaDbUriFixture();
    }
}
