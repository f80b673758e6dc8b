package io.fenceline.jdbc.postgresql;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.SuccessionContract;
import org.junit.jupiter.api.Nested;

/** The contracts on the tables of version 1 of the schema, beside which there are no functions. */
class PostgresVersion1ContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new PostgresFixture(TestServer.borrowSchemaOfVersion1());
    }

    @Nested
    class Successions extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return new PostgresFixture(TestServer.borrowSchemaOfVersion1());
        }
    }
}
