package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Grant;
import io.fenceline.LockId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@code release}. */
abstract class ReleaseContract extends ContractVocabulary {

    @Test
    @Tag("G6")
    void endsTheLease() {
        Grant grant = take(KEY);

        assertThat(release(grant)).isTrue();

        assertFree(KEY);
        assertThat(backend.lookup(grant.lockId())).isEmpty();
    }

    @Test
    @Tag("G6")
    void endsTheLeaseThroughAnotherHandle() {
        Grant grant = take(KEY);

        assertThat(fixture().open().release(KEY, grant.lockId())).isTrue();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void answersFalseTheSecondTime() {
        Grant grant = take(KEY);

        assertThat(release(grant)).isTrue();
        assertThat(release(grant)).isFalse();
        assertThat(release(grant)).isFalse();
    }

    @Test
    @Tag("G6")
    void answersFalseForAKeyThatWasNeverTaken() {
        assertThat(backend.release(KEY, LockId.random())).isFalse();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void answersFalseToAStranger() {
        Grant grant = take(KEY);

        assertThat(backend.release(KEY, LockId.random())).isFalse();

        assertHeldBy(grant);
    }

    @Test
    @Tag("G6")
    void answersFalseToTheHolderOfAnotherKey() {
        Grant grant = take(KEY);
        Grant other = take(OTHER_KEY);

        assertThat(backend.release(OTHER_KEY, grant.lockId())).isFalse();

        assertHeldBy(grant);
        assertHeldBy(other);
    }

    @Test
    @Tag("G6")
    void answersFalseAfterExpiry() {
        Grant grant = takeAndLetExpire(KEY);

        assertThat(release(grant)).isFalse();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void neverFreesAStrangersLock() {
        Grant late = takeAndLetExpire(KEY);
        Grant stranger = take(KEY);

        assertThat(release(late)).isFalse();
        assertThat(release(late)).isFalse();

        assertHeldBy(stranger);
        isRefused(KEY);
    }

    @Test
    @Tag("G6")
    void neverFreesTheNextHoldersLockTheSecondTime() {
        Grant first = takeAndRelease(KEY);
        Grant second = take(KEY);

        assertThat(release(first)).isFalse();

        assertHeldBy(second);
    }

    @Test
    @Tag("G6")
    void leavesOtherKeysAlone() {
        Grant grant = take(KEY);
        Grant other = take(OTHER_KEY);

        assertThat(release(other)).isTrue();

        assertHeldBy(grant);
    }

    @Test
    @Tag("G6")
    void endsAnExtendedLease() {
        Grant grant = take(KEY);
        assertThat(extend(grant, LONG_TTL)).isTrue();

        assertThat(release(grant)).isTrue();

        assertFree(KEY);
        assertThat(extend(grant, LONG_TTL)).isFalse();
    }

    @Test
    @Tag("G6")
    void canBeRepeatedWhenItsReplyWasLost() {
        Grant grant = take(KEY);
        FaultScript faults = new FaultScript().next(BackendOperation.RELEASE, Fault.lostReply());
        FaultyLockBackend lossy = FaultyLockBackend.over(backend, faults);

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lossy.release(KEY, grant.lockId()));
        Grant next = take(KEY);

        assertThat(lossy.release(KEY, grant.lockId())).isFalse();
        assertHeldBy(next);
    }

    @Test
    @Tag("G6")
    void worksInQuickCycles() {
        for (int i = 0; i < 10; i++) {
            Grant grant = take(KEY);
            assertThat(backend.isLocked(KEY)).isTrue();
            assertThat(release(grant)).isTrue();
            assertThat(backend.isLocked(KEY)).isFalse();
        }
    }
}
