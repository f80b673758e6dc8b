package io.fenceline.firestore;

import com.google.cloud.firestore.Firestore;
import io.fenceline.guard.GenerationClock;
import io.fenceline.testkit.GenerationClockContract;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;

@NeedsFirestore
class FirestoreGenerationClockContractTest extends GenerationClockContract {

    private final Queue<Firestore> clients = new ConcurrentLinkedQueue<>();
    private final String prefix = TestStore.freshPrefix();

    @Override
    protected GenerationClock openClock() {
        Firestore client = TestStore.get().client();
        clients.add(client);
        return FirestoreGenerationClock.on(
                client, FirestoreGuardOptions.defaults().withPrefix(prefix));
    }

    @AfterEach
    void end() {
        clients.forEach(Firestore::shutdown);
        if (TestStore.get().isReal()) {
            TestStore.remove(prefix);
        }
    }
}
