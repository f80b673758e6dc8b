package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of {@code acquire}, called by one caller at a time. */
abstract class AcquireContract extends ContractVocabulary {

    @Test
    @Tag("G1")
    void grantsAFreeLock() {
        LockId lockId = LockId.random();

        Grant grant = granted(backend.acquire(request(KEY, lockId, Duration.ofSeconds(30))));

        assertThat(grant.key()).isEqualTo(KEY);
        assertThat(grant.lockId()).isEqualTo(lockId);
        assertThat(grant.holder()).isEqualTo(HOLDER);
        assertThat(grant.tokens()).isEqualTo(1);
        assertThat(Duration.between(grant.acquiredAt(), grant.expiresAt())).isEqualTo(Duration.ofSeconds(30));
        assertThat(backend.isLocked(KEY)).isTrue();
    }

    @Test
    @Tag("G1")
    void refusesALockThatAnotherHolds() {
        Grant grant = take(KEY);

        isRefused(KEY);

        assertHeldBy(grant);
    }

    @Test
    @Tag("G1")
    void refusesTheSameHolderUnderAnotherLockId() {
        take(KEY);

        refused(backend.acquire(request(KEY, LockId.random(), LONG_TTL)));
    }

    @Test
    @Tag("G1")
    void refusesAcrossHandlesOfOneStore() {
        take(KEY);

        refused(fixture().open().acquire(request(KEY, LockId.random(), LONG_TTL)));
    }

    @Test
    @Tag("G1")
    void tellsTheRefusedHowLongTheLeaseRunsAndWhoHoldsIt() {
        take(KEY, Duration.ofSeconds(30));

        Contended refusal = isRefused(KEY);

        assertThat(refusal.remaining()).isBetween(Duration.ofSeconds(20), counted(Duration.ofSeconds(30)));
        assertThat(refusal.holder().filter(HOLDER::equals).isPresent())
                .isEqualTo(fixture().keepsHolder());
    }

    @Test
    @Tag("G3")
    void changesNothingWhenItRefuses() {
        Grant grant = take(KEY);
        LockRecord before = record(KEY);

        for (int i = 0; i < 20; i++) {
            isRefused(KEY);
        }

        LockRecord after = record(KEY);
        assertThat(after.raw()).isEqualTo(before.raw());
        assertThat(after.remaining()).isLessThanOrEqualTo(before.remaining());
        assertThat(release(grant)).isTrue();
    }

    @Test
    @Tag("G1")
    void grantsAReleasedLock() {
        takeAndRelease(KEY);

        assertHeldBy(take(KEY));
    }

    @Test
    @Tag("G1")
    void grantsAnExpiredLockWithAGreaterToken() {
        Grant expired = takeAndLetExpire(KEY);

        Grant next = take(KEY);

        assertThat(next.token()).isGreaterThan(expired.token());
        assertHeldBy(next);
    }

    @Test
    @Tag("G1")
    void endsEachLeaseAtItsOwnTime() {
        take(KEY, shortTtl());
        Grant running = take(OTHER_KEY);

        letExpire();

        assertFree(KEY);
        assertHeldBy(running);
    }

    @Test
    @Tag("G1")
    void letsKeysBeHeldSideBySide() {
        Grant one = take(KEY);
        Grant two = take(OTHER_KEY);
        Grant three = take(LockKey.of("invoice:44"));

        assertThat(release(two)).isTrue();

        assertHeldBy(one);
        assertFree(OTHER_KEY);
        assertHeldBy(three);
    }

    @ParameterizedTest
    @Tag("G1")
    @ValueSource(strings = {"PT0.1S", "PT1S", "PT30S", "PT1H", "P365D"})
    void acceptsShortAndLongTtls(Duration ttl) {
        Grant grant = take(KEY, ttl);

        assertThat(Duration.between(grant.acquiredAt(), grant.expiresAt())).isEqualTo(ttl);
    }

    @Test
    @Tag("G1")
    void neverRoundsTheTtlDown() {
        Duration uneven = Duration.ofSeconds(30).plusNanos(1);

        Grant grant = take(KEY, uneven);

        assertThat(Duration.between(grant.acquiredAt(), grant.expiresAt()))
                .isBetween(uneven, Duration.ofSeconds(30).plusMillis(1));
    }

    @Test
    @Tag("G1")
    void isNotBlockedByAWaiterThatGaveUp() {
        Grant grant = take(KEY);
        LockId waiter = LockId.random();
        refused(backend.acquire(patientRequest(waiter, LONG_TTL)));

        assertThat(backend.release(KEY, waiter)).isFalse();
        assertThat(release(grant)).isTrue();

        take(KEY);
    }

    @Test
    @Tag("G11")
    void isNotBlockedLongByAWaiterThatDied() {
        Grant grant = take(KEY);
        refused(backend.acquire(patientRequest(LockId.random(), shortTtl())));
        assertThat(release(grant)).isTrue();

        letExpire();
        letExpire();

        take(KEY);
    }

    private static AcquireRequest patientRequest(LockId lockId, Duration patience) {
        return new AcquireRequest(KEY, lockId, patience, Holder.of("waiter"), 1, patience);
    }
}
