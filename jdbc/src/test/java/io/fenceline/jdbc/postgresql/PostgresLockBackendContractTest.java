package io.fenceline.jdbc.postgresql;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.OutageContract;
import io.fenceline.testkit.OutageFixture;
import org.junit.jupiter.api.Nested;

class PostgresLockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new PostgresFixture();
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new PostgresFixture();
        }
    }
}
