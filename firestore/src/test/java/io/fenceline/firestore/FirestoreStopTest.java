package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What others can do while somebody is stopped between the read and the commit of an operation, and what it finds then. */
@NeedsFirestore
class FirestoreStopTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration TTL = Duration.ofMinutes(5);

    private final FirestoreFixture fixture = new FirestoreFixture(TestStore.get());
    private final Firestore client = TestStore.sharedClient();
    private final FirestoreCollections collections = new FirestoreCollections(client, fixture.prefix());
    private final FirestoreGuardOptions guards =
            FirestoreGuardOptions.defaults().withPrefix(fixture.prefix()).withTimeout(Duration.ofSeconds(60));

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    @Tag("G1")
    @Tag("G11")
    void anotherCanTakeTheLockWhichTheStoppedOneThenSees() {
        LockBackend other = fixture.open();
        FirestoreLink link = new FirestoreLink(client, Duration.ofSeconds(60));
        List<LockDocument> seen = new ArrayList<>();

        new ConditionalWrite(link, collections.lock(KEY.value())).persist(snapshot -> {
            LockDocument lock = LockDocument.of(snapshot);
            seen.add(lock);
            if (seen.size() == 1) { // here it is stopped
                assertThat(acquire(other, LockId.random())).isInstanceOf(Granted.class);
            }
            return lock.running().isPresent()
                    ? DocumentChange.none(false)
                    : DocumentChange.of(true, LockDocument.counter(KEY, 1_000_000));
        });

        assertThat(seen).hasSize(2);
        assertThat(seen.get(0).running()).isEmpty();
        assertThat(seen.get(1).running()).isPresent();
        assertThat(seen.get(1).lastToken()).isEqualTo(1);
    }

    @Test
    @Tag("R3")
    void aNewerHolderCanClaimAndTheStoppedWriterIsRefusedByTheStore() {
        FirestoreFenceGuard guard = FirestoreFenceGuard.on(client, guards);
        DocumentReference invoice = document();
        guard.set(invoice, stamp(33), Map.of("status", "open"));

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.write(FirestoreFenceGuard.resource(invoice), stamp(33), batch -> {
                    guard.claim(FirestoreFenceGuard.resource(invoice), stamp(34)); // while the writer is stopped
                    batch.update(invoice, Map.of("status", "stale"));
                }));

        assertThat(read(invoice)).isEqualTo("open");
    }

    @Test
    @Tag("G10")
    void aTransactionOfSomebodyElseOnTheLocksDocumentIsToldAsUnavailable() throws Exception {
        FirestoreLockBackend backend = FirestoreLockBackend.over(
                client,
                FirestoreLockOptions.defaults()
                        .withPrefix(fixture.prefix())
                        .withCommandTimeout(Duration.ofSeconds(20)));
        Firestore stranger = TestStore.get().client();
        DocumentReference lock = new FirestoreCollections(stranger, fixture.prefix()).lock(KEY.value());
        try {
            BackendException failure = stranger.runTransaction(transaction -> {
                        assertThat(transaction.get(lock).get().exists()).isFalse();
                        // The store gives each attempt up after a while.
                        return catchThrowableOfType(BackendException.class, () -> acquire(backend, LockId.random()));
                    })
                    .get(60, TimeUnit.SECONDS);

            assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
            assertThat(failure.effect()).as("the client may have sent it twice").isEqualTo(Effect.UNKNOWN);
            assertThat(acquire(backend, LockId.random())).isInstanceOf(Granted.class);
        } finally {
            stranger.shutdown();
        }
    }

    private static Object acquire(LockBackend backend, LockId lockId) {
        return backend.acquire(AcquireRequest.of(KEY, lockId, TTL, Holder.of("me")));
    }

    private DocumentReference document() {
        return client.collection(fixture.prefix() + "_data").document("42");
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(KEY, FencingToken.of(token));
    }

    private static String read(DocumentReference document) {
        try {
            return document.get().get().getString("status");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
