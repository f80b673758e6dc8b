package io.fenceline.firestore;

import io.fenceline.testkit.ClientProcessContract;
import io.fenceline.testkit.ClientProcessFixture;
import io.fenceline.testkit.TurnTakingContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Processes that want one lock on Firestore. {@code -Dfenceline.firestore.stops=true} also stops and kills processes in the middle
 * of operations.
 */
@NeedsFirestore
class FirestoreProcessesTest {

    @Nested
    class Turns extends TurnTakingContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new FirestoreFixture(TestStore.get());
        }
    }

    @Nested
    @EnabledIfSystemProperty(named = "fenceline.firestore.stops", matches = "true")
    class StoppedAndKilled extends ClientProcessContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new FirestoreFixture(TestStore.get());
        }
    }
}
