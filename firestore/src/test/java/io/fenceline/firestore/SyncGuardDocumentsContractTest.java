package io.fenceline.firestore;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import org.junit.jupiter.api.Nested;

/** All that a backend promises, in SyncGuard's documents; but for the keys that these refuse. */
@NeedsFirestore
class SyncGuardDocumentsContractTest extends LockBackendContract {

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
}
