package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.LockCatalog;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys, prefixes and documents that we and SyncGuard do not take alike. */
@NeedsFirestore
class SyncGuardOddDocumentsTest extends SharedDocuments {

    @ParameterizedTest
    @Tag("G9")
    @ValueSource(strings = {"a/b", "/a", "a/b/c", "/", ".", "..", "__x__"})
    void keysThatSyncGuardTakesForPathsAreRefusedBeforeTheStoreIsAsked(String key) {

        assertThatIllegalArgumentException()
                .isThrownBy(() -> acquire(LockKey.of(key)))
                .withMessageContaining("cannot be shared with SyncGuard");
        assertThatIllegalArgumentException().isThrownBy(() -> ours.release(LockKey.of(key), LockId.random()));
        assertThatIllegalArgumentException().isThrownBy(() -> ours.isLocked(LockKey.of(key)));
    }

    @Test
    @Tag("G8")
    void oneDocumentThatCannotBeReadHidesNoOther() throws Exception {
        take(KEY);
        put("odd", Map.of("lockId", "odd", "expiresAtMs", future(), "acquiredAtMs", 0L, "key", "odd", "fence", "1"));
        put("nul", Map.of("lockId", "odd", "expiresAtMs", 0L, "acquiredAtMs", 0L, "key", "n\u0000l", "fence", "1"));
        put("empty", Map.of());
        put("texts", Map.of("key", 7L, "expiresAtMs", "soon"));

        LockCatalog catalog = ours.ability(LockCatalog.class).orElseThrow();

        assertThat(catalog.list("", 10)).extracting(lock -> lock.raw().key()).containsExactly(KEY);
        assertThat(catalog.forceRelease(KEY, Holder.of("operator"))).isPresent();
    }

    @Test
    @Tag("G5")
    void aCounterBeyondTheLastTokenIsUsedUpAndHidesNothing() throws Exception {
        client.collection(fixture.fences())
                .document("fence:" + KEY)
                .set(Map.of("fence", "9999999999999999", "keyDebug", KEY.value()))
                .get();
        String lockId = LockId.random().text();
        put(
                KEY.value(),
                Map.of(
                        "lockId",
                        lockId,
                        "expiresAtMs",
                        future(),
                        "acquiredAtMs",
                        0L,
                        "key",
                        KEY.value(),
                        "fence",
                        "9999999999999999"));

        LockCatalog catalog = ours.ability(LockCatalog.class).orElseThrow();

        assertThat(catalog.lastToken(KEY)).contains(FencingToken.of(FencingToken.MAX_VALUE));
        assertThat(catalog.list("", 10)).hasSize(1);
        assertThat(ours.lookup(KEY)).isPresent();
        assertThat(ours.release(KEY, LockId.parse(lockId))).isTrue();
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> acquire(KEY))
                .withMessageContaining("used up");
    }

    @Test
    @Tag("G8")
    void prefixesAreNormalisedAsKeysAreAlsoWhereSyncGuardWroteTheKeyAsItWasGiven() throws Exception {
        String lockId = LockId.random().text();
        put(
                "caf\u00e9:1",
                Map.of(
                        "lockId",
                        lockId,
                        "expiresAtMs",
                        future(),
                        "acquiredAtMs",
                        0L,
                        "key",
                        "cafe\u0301:1",
                        "fence",
                        "000000000000001"));
        take(LockKey.of("caf\u00e9:2"));
        take(LockKey.of("cafe"));
        LockCatalog catalog = ours.ability(LockCatalog.class).orElseThrow();

        for (String prefix : List.of("caf\u00e9", "cafe\u0301")) {
            assertThat(catalog.list(prefix, 10))
                    .extracting(lock -> lock.raw().key().value())
                    .containsExactly("caf\u00e9:1", "caf\u00e9:2");
        }
        assertThat(catalog.list("a/", 10)).isEmpty();
        assertThat(catalog.list(".", 10)).isEmpty();
        assertThat(catalog.list("caf", 1))
                .extracting(lock -> lock.raw().key().value())
                .containsExactly("cafe");
    }

    private void put(String id, Map<String, Object> fields) throws Exception {
        client.collection(fixture.locks()).document(id).set(fields).get();
    }

    private static long future() {
        return System.currentTimeMillis() + TTL.toMillis();
    }
}
