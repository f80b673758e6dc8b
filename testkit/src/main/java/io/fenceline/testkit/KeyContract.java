package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of keys and holders, whatever is written in them. */
abstract class KeyContract extends ContractVocabulary {

    @ParameterizedTest
    @Tag("G9")
    @MethodSource("io.fenceline.testkit.NastyKeys#all")
    void areLockedSeenAndReleasedWhateverTheyLookLike(LockKey key) {
        assumeTrue(fixture().takes(key), () -> "the layout refuses key '" + key + "'");
        Grant first = take(key);
        isRefused(key);
        assertThat(record(key).raw().key()).isEqualTo(key);
        assertThat(backend.lookup(first.lockId()).orElseThrow().raw().key()).isEqualTo(key);
        assertThat(extend(first, LONG_TTL)).isTrue();
        assertThat(release(first)).isTrue();
        assertFree(key);

        assertThat(take(key).token()).isGreaterThan(first.token());
    }

    @Test
    @Tag("G9")
    void areAllDifferentLocks() {
        Map<LockKey, Grant> held = new LinkedHashMap<>();
        NastyKeys.all().filter(fixture()::takes).forEach(key -> held.put(key, take(key)));

        held.values().forEach(this::assertHeldBy);

        held.forEach((key, grant) -> {
            assertThat(release(grant)).as("release of '%s'", key).isTrue();
            assertFree(key);
        });
    }

    @Test
    @Tag("G9")
    void thatLookLikeInternalNamesAreOrdinary() {
        Grant grant = take(KEY);
        for (String name : fixture().internalNames(KEY, grant.lockId())) {
            LockKey imitation = LockKey.of(name);
            Grant other = take(imitation);
            assertHeldBy(grant);
            assertHeldBy(other);
            isRefused(imitation);
            assertThat(release(other)).as("release of '%s'", name).isTrue();
        }

        assertHeldBy(grant);
        assertThat(backend.lookup(grant.lockId())).isPresent();
        assertThat(release(grant)).isTrue();
        assertThat(take(KEY).token()).isGreaterThan(grant.token());
    }

    @Test
    @Tag("G9")
    void thatLookLikeInternalNamesPlantNothingForFreshKeys() {
        for (String name : fixture().internalNames(KEY, LockId.random())) {
            take(LockKey.of(name));
        }

        assertFree(KEY);
        Grant grant = take(KEY);
        assertThat(release(grant)).isTrue();
    }

    @Test
    @Tag("G9")
    void areOneInComposedAndDecomposedForm() {
        Grant grant = take(LockKey.of("caf\u00e9"));

        isRefused(LockKey.of("cafe\u0301"));
        assertThat(backend.release(LockKey.of("cafe\u0301"), grant.lockId())).isTrue();
    }

    @ParameterizedTest
    @Tag("G9")
    @ValueSource(strings = {"'; drop table locks; --", "Zoë \uD83D\uDD12", "\"{}[]\\", "100%", "a:b|c,d", " "})
    void leaveTheHolderAsItWasGiven(String text) {
        Holder holder = Holder.of(text);

        backend.acquire(AcquireRequest.of(KEY, LockId.random(), LONG_TTL, holder));

        LockRecord record = record(KEY);
        assertThat(record.holder().equals(holder)).isEqualTo(fixture().keepsHolder());
    }

    @Test
    @Tag("G9")
    void leaveRoomForTheLongestHolder() {
        Holder holder = Holder.of("\u65e5".repeat(Holder.MAX_LENGTH));

        backend.acquire(AcquireRequest.of(KEY, LockId.random(), LONG_TTL, holder));

        assertThat(record(KEY).holder().equals(holder)).isEqualTo(fixture().keepsHolder());
    }

    @ParameterizedTest
    @Tag("G9")
    @MethodSource("io.fenceline.testkit.NastyKeys#lockIds")
    void areHeldUnderAnyLockId(LockId lockId) {
        Grant grant = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));

        assertThat(backend.lookup(lockId)).isPresent();
        assertHeldBy(grant);
        assertThat(extend(grant, LONG_TTL)).isTrue();
        assertThat(release(grant)).isTrue();
    }
}
