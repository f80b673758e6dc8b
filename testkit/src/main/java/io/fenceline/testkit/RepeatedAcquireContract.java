package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@code acquire} for a caller that asks again under the same lock id, for instance since a reply was lost. */
abstract class RepeatedAcquireContract extends ContractVocabulary {

    private final LockId lockId = LockId.random();

    @Test
    @Tag("G7")
    void getsTheSameGrantAgain() {
        AcquireRequest request = request(KEY, lockId, LONG_TTL);

        Grant first = granted(backend.acquire(request));

        assertThat(granted(backend.acquire(request))).isEqualTo(first);
        assertThat(granted(backend.acquire(request))).isEqualTo(first);
    }

    @Test
    @Tag("G7")
    void getsTheSameGrantThroughAnotherHandle() {
        AcquireRequest request = request(KEY, lockId, LONG_TTL);

        Grant first = granted(backend.acquire(request));

        assertThat(granted(fixture().open().acquire(request))).isEqualTo(first);
    }

    @Test
    @Tag("G7")
    void getsTheGrantWhoseReplyWasLost() {
        FaultScript faults = new FaultScript().next(BackendOperation.ACQUIRE, Fault.lostReply());
        FaultyLockBackend lossy = FaultyLockBackend.over(backend, faults);
        AcquireRequest request = request(KEY, lockId, LONG_TTL);

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lossy.acquire(request));
        Grant stored = record(KEY).raw();

        assertThat(asStored(granted(lossy.acquire(request)))).isEqualTo(stored);
    }

    @Test
    @Tag("G7")
    void getsTheSameBlockOfTokensAgain() {
        takeAndRelease(KEY);
        AcquireRequest request = blockRequest(KEY, lockId, 50);

        Grant first = granted(backend.acquire(request));
        Grant again = granted(backend.acquire(request));

        assertThat(again).isEqualTo(first);
        assertIsABlockOf(50, again);
        assertThat(release(again)).isTrue();
        assertThat(take(KEY).token()).isGreaterThan(first.lastToken());
    }

    @Test
    @Tag("G7")
    void getsTheSameTokensAlthoughItAsksForAnotherNumber() {
        takeAndRelease(KEY);
        Grant first = granted(backend.acquire(blockRequest(KEY, lockId, 4)));

        assertThat(granted(backend.acquire(blockRequest(KEY, lockId, 1)))).isEqualTo(first);
        assertThat(granted(backend.acquire(blockRequest(KEY, lockId, 50)))).isEqualTo(first);
        assertThat(release(first)).isTrue();
        assertThat(take(KEY).token()).isGreaterThan(first.lastToken());
    }

    @Test
    @Tag("G7")
    void doesNotProlongTheLease() {
        whileItRuns((key, ttl) -> {
            AcquireRequest request = request(key, lockId, ttl);
            Grant first = granted(backend.acquire(request));
            fixture().passTime(ttl.dividedBy(2));

            assertThat(granted(backend.acquire(request)).expiresAt()).isEqualTo(first.expiresAt());
            fixture().passTime(counted(ttl.dividedBy(2)).plusMillis(20));

            assertFree(key);
        });
    }

    @Test
    @Tag("G7")
    void doesNotChangeTheTtlEvenIfItNamesAnother() {
        Grant first = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));

        Grant again = granted(backend.acquire(request(KEY, lockId, LONG_TTL.plusMinutes(1))));

        assertThat(again.expiresAt()).isEqualTo(first.expiresAt());
    }

    @Test
    @Tag("G7")
    void getsTheSameTokenAfterAnExtension() {
        Grant first = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));
        assertThat(extend(first, LONG_TTL.multipliedBy(2))).isTrue();

        Grant again = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));

        assertThat(again.token()).isEqualTo(first.token());
        assertThat(again.acquiredAt()).isEqualTo(first.acquiredAt());
        assertThat(record(KEY).expiresAt()).isAfter(first.expiresAt());
    }

    @Test
    @Tag("G7")
    void isGrantedOnceTheLockIsFreeIfItWasRefusedBefore() {
        Grant holder = take(KEY);
        AcquireRequest request = request(KEY, lockId, LONG_TTL);
        refused(backend.acquire(request));
        refused(backend.acquire(request));
        assertThat(release(holder)).isTrue();

        Grant grant = granted(backend.acquire(request));

        assertThat(grant.lockId()).isEqualTo(lockId);
        assertThat(grant.token()).isGreaterThan(holder.token());
    }

    @Test
    @Tag("G2")
    void revivesNoExpiredGrant() {
        Grant first = granted(backend.acquire(request(KEY, lockId, shortTtl())));
        letExpire();

        Grant second = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));

        assertThat(second.token()).isGreaterThan(first.token());
    }

    @Test
    @Tag("G2")
    void revivesNoReleasedGrant() {
        Grant first = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));
        assertThat(release(first)).isTrue();

        Grant second = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));

        assertThat(second.token()).isGreaterThan(first.token());
    }

    @Test
    @Tag("G1")
    void isRefusedWhenAStrangerHasTakenOver() {
        granted(backend.acquire(request(KEY, lockId, shortTtl())));
        letExpire();
        Grant stranger = take(KEY);

        refused(backend.acquire(request(KEY, lockId, LONG_TTL)));

        assertHeldBy(stranger);
    }
}
