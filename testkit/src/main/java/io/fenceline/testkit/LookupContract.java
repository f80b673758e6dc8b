package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockRecord;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@code lookup} and {@code isLocked}. */
abstract class LookupContract extends ContractVocabulary {

    @Test
    @Tag("G8")
    void describesARunningLeaseByKeyAndByLockId() {
        Grant grant = take(KEY, Duration.ofSeconds(30));

        assertDescribes(grant, backend.lookup(KEY).orElseThrow());
        assertDescribes(grant, backend.lookup(grant.lockId()).orElseThrow());
    }

    @Test
    @Tag("G8")
    void describesItToEveryHandle() {
        Grant grant = take(KEY, Duration.ofSeconds(30));

        assertDescribes(grant, fixture().open().lookup(KEY).orElseThrow());
        assertDescribes(grant, fixture().open().lookup(grant.lockId()).orElseThrow());
    }

    @Test
    @Tag("G8")
    void hidesTheKeyAndTheLockId() {
        Grant grant = take(KEY);

        LockRecord record = record(KEY);

        assertThat(record.toString()).doesNotContain(KEY.value(), grant.lockId().text());
        assertThat(record.keyHash()).matches("[0-9a-f]{24}");
        assertThat(record.lockIdHash()).matches("[0-9a-f]{24}");
    }

    @Test
    @Tag("G8")
    void hashesAlikeEachTimeAndDifferentKeysDifferently() {
        Grant grant = take(KEY);
        take(OTHER_KEY);

        LockRecord record = record(KEY);

        assertThat(backend.lookup(grant.lockId()).orElseThrow().keyHash()).isEqualTo(record.keyHash());
        assertThat(backend.lookup(grant.lockId()).orElseThrow().lockIdHash()).isEqualTo(record.lockIdHash());
        assertThat(record(OTHER_KEY).keyHash()).isNotEqualTo(record.keyHash());
        assertThat(record(OTHER_KEY).lockIdHash()).isNotEqualTo(record.lockIdHash());
    }

    @Test
    @Tag("G8")
    void tellsKeyAndLockIdToWhoeverAsksByName() {
        Grant grant = take(KEY);

        Grant raw = record(KEY).raw();

        assertThat(raw.key()).isEqualTo(KEY);
        assertThat(raw.lockId()).isEqualTo(grant.lockId());
    }

    @Test
    @Tag("G8")
    void findsNothingUnderAKeyOrIdThatWasNeverUsed() {
        take(OTHER_KEY);

        assertFree(KEY);
        assertThat(backend.lookup(LockId.random())).isEmpty();
    }

    @Test
    @Tag("G8")
    void findsNoReleasedLease() {
        Grant grant = takeAndRelease(KEY);

        assertFree(KEY);
        assertThat(backend.lookup(grant.lockId())).isEmpty();
    }

    @Test
    @Tag("G8")
    void findsNoExpiredLease() {
        Grant grant = takeAndLetExpire(KEY);

        assertFree(KEY);
        assertThat(backend.lookup(grant.lockId())).isEmpty();
    }

    @Test
    @Tag("G8")
    void findsTheNextHolderAndNotTheLast() {
        Grant last = takeAndLetExpire(KEY);
        Grant next = take(KEY, Duration.ofSeconds(30));

        assertThat(backend.lookup(last.lockId())).isEmpty();
        assertDescribes(next, record(KEY));
        assertDescribes(next, backend.lookup(next.lockId()).orElseThrow());
    }

    @Test
    @Tag("G8")
    void followsExtensions() {
        Grant grant = take(KEY, Duration.ofSeconds(30));
        assertThat(extend(grant, LONG_TTL)).isTrue();

        LockRecord record = record(KEY);

        assertThat(record.expiresAt()).isAfter(grant.expiresAt());
        assertThat(record.remaining()).isBetween(LONG_TTL.minusMinutes(1), counted(LONG_TTL));
        assertThat(record.acquiredAt()).isEqualTo(grant.acquiredAt());
    }

    @Test
    @Tag("G8")
    void changesNothing() {
        Grant grant = take(KEY);
        for (int i = 0; i < 20; i++) {
            assertThat(backend.isLocked(KEY)).isTrue();
            assertThat(backend.lookup(KEY)).isPresent();
            assertThat(backend.lookup(grant.lockId())).isPresent();
        }
        assertThat(release(grant)).isTrue();
        Grant expired = takeAndLetExpire(KEY);
        for (int i = 0; i < 20; i++) {
            assertFree(KEY);
            assertThat(backend.lookup(expired.lockId())).isEmpty();
        }

        assertThat(extend(expired, LONG_TTL)).isFalse();
        assertThat(take(KEY).token()).isGreaterThan(expired.token());
    }

    @Test
    @Tag("G8")
    void leavesAKeyThatItLookedAtFresh() {
        assertFree(KEY);
        Grant looked = take(KEY);
        Grant notLooked = take(OTHER_KEY);

        assertThat(looked.token().value()).isLessThanOrEqualTo(notLooked.token().value());
    }

    private void assertDescribes(Grant grant, LockRecord record) {
        assertThat(record.token()).isEqualTo(grant.token());
        assertThat(record.acquiredAt()).isEqualTo(grant.acquiredAt());
        assertThat(record.expiresAt()).isEqualTo(grant.expiresAt());
        assertThat(record.remaining()).isBetween(Duration.ofSeconds(20), counted(Duration.ofSeconds(30)));
        assertThat(record.holder().equals(grant.holder())).isEqualTo(fixture().keepsHolder());
        assertThat(record.raw().key()).isEqualTo(grant.key());
        assertThat(record.raw().lockId()).isEqualTo(grant.lockId());
    }
}
