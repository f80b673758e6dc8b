package io.fenceline.firestore;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ElectionContract;

@NeedsFirestore
class FirestoreElectionTest extends ElectionContract {

    @Override
    protected BackendFixture newFixture() {
        return new FirestoreFixture(TestStore.get());
    }
}
