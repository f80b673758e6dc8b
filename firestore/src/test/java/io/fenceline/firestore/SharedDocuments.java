package io.fenceline.firestore;

import com.google.cloud.firestore.Firestore;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** One database, our processes and SyncGuard's. */
@NeedsFirestore
@Timeout(120)
abstract class SharedDocuments {

    static final LockKey KEY = LockKey.of("resource:123");
    static final Duration TTL = Duration.ofMinutes(5);

    final SyncGuardFixture fixture = new SyncGuardFixture();
    final Firestore client = TestStore.sharedClient();
    final FirestoreLockBackend ours = fixture.open();
    final SyncGuardPeer theirs = peer(Clock.systemUTC());

    @AfterEach
    void close() {
        fixture.close();
    }

    SyncGuardPeer peer(Clock clock) {
        return new SyncGuardPeer(client, fixture.locks(), fixture.fences(), clock);
    }

    Grant take(LockKey key) {
        return ((Granted) acquire(key)).grant();
    }

    Acquisition acquire(LockKey key) {
        return ours.acquire(AcquireRequest.of(key, LockId.random(), TTL, Holder.of("us")));
    }

    Map<String, Object> document(String collection, String id) throws Exception {
        return client.collection(collection).document(id).get().get().getData();
    }
}
