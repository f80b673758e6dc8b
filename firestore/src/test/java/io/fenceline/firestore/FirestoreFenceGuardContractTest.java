package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.util.Map;
import java.util.Optional;

@NeedsFirestore
class FirestoreFenceGuardContractTest extends FenceGuardContract {

    @Override
    protected GuardFixture newFixture() {
        return new DocumentsFixture();
    }

    private static final class DocumentsFixture implements GuardFixture {

        private final String prefix = TestStore.freshPrefix();

        @Override
        public GuardedData open(FenceRule rule, LockListener... listeners) {
            Firestore client = TestStore.sharedClient();
            FirestoreGuardOptions options = FirestoreGuardOptions.defaults()
                    .withPrefix(prefix)
                    .withRule(rule)
                    .withListeners(listeners);
            return new Documents(FirestoreFenceGuard.on(client, options), client, prefix + "_data");
        }

        @Override
        public void restart() {}

        @Override
        public int racers() {
            return 3;
        }

        @Override
        public int cycles() {
            return Integer.getInteger("fenceline.firestore.cycles", 5);
        }

        @Override
        public void close() {
            if (TestStore.get().isReal()) {
                TestStore.remove(prefix);
            }
        }
    }

    private record Documents(FirestoreFenceGuard firestore, Firestore client, String collection)
            implements GuardedData {

        @Override
        public FenceGuard guard() {
            return firestore;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            firestore.write(resource, stamp, batch -> batch.set(document(resource), Map.of("text", value)));
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            firestore.write(resource, stamp, batch -> batch.delete(document(resource)));
        }

        @Override
        public Optional<String> read(String resource) {
            try {
                return Optional.ofNullable(document(resource).get().get().getString("text"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        private DocumentReference document(String resource) {
            return client.collection(collection).document(DocumentId.of(resource));
        }
    }
}
