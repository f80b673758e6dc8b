package io.fenceline.firestore;

import io.fenceline.guard.GenerationClock;
import io.fenceline.testkit.GenerationClockContract;
import org.junit.jupiter.api.AfterEach;

@NeedsFirestore
class FirestoreGenerationClockContractTest extends GenerationClockContract {

    private final String prefix = TestStore.freshPrefix();

    @Override
    protected GenerationClock openClock() {
        return FirestoreGenerationClock.on(
                TestStore.sharedClient(), FirestoreGuardOptions.defaults().withPrefix(prefix));
    }

    @AfterEach
    void end() {
        if (TestStore.get().isReal()) {
            TestStore.remove(prefix);
        }
    }
}
