package io.fenceline.sqlite;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ExactExpiryContract;
import io.fenceline.testkit.FairTurnsContract;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.OutageContract;
import io.fenceline.testkit.OutageFixture;
import io.fenceline.testkit.WaiterNoticesContract;
import org.junit.jupiter.api.Nested;

class SqliteLockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new SqliteFixture();
    }

    @Nested
    class ExactExpiry extends ExactExpiryContract {
        @Override
        protected BackendFixture newFixture() {
            return new SqliteFixture();
        }
    }

    @Nested
    class Notices extends WaiterNoticesContract {
        @Override
        protected BackendFixture newFixture() {
            return new SqliteFixture();
        }
    }

    @Nested
    class FairTurns extends FairTurnsContract {
        @Override
        protected BackendFixture newFixture() {
            return new SqliteFixture();
        }
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new SqliteFixture();
        }
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new SqliteFixture();
        }
    }
}
