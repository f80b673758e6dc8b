package io.fenceline.firestore;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.ReleaseSignalsContract;
import org.junit.jupiter.api.Nested;

@NeedsFirestore
class FirestoreLockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new FirestoreFixture(TestStore.get());
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new FirestoreFixture(TestStore.get());
        }
    }

    @Nested
    class Signals extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return new FirestoreFixture(TestStore.get());
        }
    }
}
