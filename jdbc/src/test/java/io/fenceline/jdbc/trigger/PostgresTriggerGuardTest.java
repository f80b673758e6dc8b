package io.fenceline.jdbc.trigger;

import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;

class PostgresTriggerGuardTest extends FenceGuardContract {

    @Override
    protected GuardFixture newFixture() {
        return new TriggerFixture(PostgresPlace.pooled());
    }
}
