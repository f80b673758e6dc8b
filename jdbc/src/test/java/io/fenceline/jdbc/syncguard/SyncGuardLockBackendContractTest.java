package io.fenceline.jdbc.syncguard;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ExactExpiryContract;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import org.junit.jupiter.api.Nested;

/** All that a backend promises, in SyncGuard's tables. */
class SyncGuardLockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new SyncGuardFixture();
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new SyncGuardFixture();
        }
    }

    @Nested
    class ExactExpiry extends ExactExpiryContract {
        @Override
        protected BackendFixture newFixture() {
            SyncGuardFixture fixture = new SyncGuardFixture();
            fixture.tables.stopClock();
            return fixture;
        }
    }
}
