package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.Transaction;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A stand-in for a SyncGuard process: the transactions of its operations as the reference tells them, by its own clock. */
final class SyncGuardPeer {

    private final Firestore client;
    private final String locks;
    private final String fences;
    private final Clock clock;

    SyncGuardPeer(Firestore client, String locks, String fences, Clock clock) {
        this.client = client;
        this.locks = locks;
        this.fences = fences;
        this.clock = clock;
    }

    /** Answers the fence, or empty if somebody else has the lock. */
    Optional<String> acquire(String key, String lockId, long ttlMillis) throws Exception {
        DocumentReference lock = client.collection(locks).document(key);
        DocumentReference counter = client.collection(fences).document("fence:" + key);
        return client.runTransaction(transaction -> {
                    DocumentSnapshot held = transaction.get(lock).get();
                    DocumentSnapshot counted = transaction.get(counter).get();
                    long now = clock.millis();
                    if (held.exists() && held.getLong("expiresAtMs") > now - 1000) {
                        return Optional.<String>empty();
                    }
                    long last = counted.exists() ? Long.parseLong(counted.getString("fence")) : 0;
                    String fence = "%015d".formatted(last + 1);
                    transaction.set(counter, Map.of("fence", fence, "keyDebug", key));
                    transaction.set(
                            lock,
                            Map.of(
                                    "lockId", lockId,
                                    "expiresAtMs", now + ttlMillis,
                                    "acquiredAtMs", now,
                                    "key", key,
                                    "fence", fence));
                    return Optional.of(fence);
                })
                .get();
    }

    boolean release(String lockId) throws Exception {
        return client.runTransaction(transaction -> {
                    Optional<QueryDocumentSnapshot> running = running(transaction, lockId);
                    running.ifPresent(found -> transaction.delete(found.getReference()));
                    return running.isPresent();
                })
                .get();
    }

    boolean extend(String lockId, long ttlMillis) throws Exception {
        return client.runTransaction(transaction -> {
                    Optional<QueryDocumentSnapshot> running = running(transaction, lockId);
                    running.ifPresent(found ->
                            transaction.update(found.getReference(), "expiresAtMs", clock.millis() + ttlMillis));
                    return running.isPresent();
                })
                .get();
    }

    boolean isLocked(String key) throws Exception {
        DocumentSnapshot held = client.collection(locks).document(key).get().get();
        return held.exists() && held.getLong("expiresAtMs") > clock.millis() - 1000;
    }

    private Optional<QueryDocumentSnapshot> running(Transaction transaction, String lockId) throws Exception {
        List<QueryDocumentSnapshot> found = transaction
                .get(client.collection(locks).whereEqualTo("lockId", lockId))
                .get()
                .getDocuments();
        return found.stream()
                .filter(document -> document.getLong("expiresAtMs") > clock.millis() - 1000)
                .findFirst();
    }
}
