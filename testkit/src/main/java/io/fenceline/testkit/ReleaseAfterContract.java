package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.BackendException;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@code releaseAfter}. */
abstract class ReleaseAfterContract extends ContractVocabulary {

    @Test
    @Tag("G6")
    void endsALongLeaseSooner() {
        whileItRuns((key, rest) -> {
            Grant grant = take(key);

            assertThat(releaseAfter(grant, rest)).isTrue();
            isRefused(key);
            assertHeldBy(grant);
            letExpire(rest);

            assertFree(key);
        });
    }

    @Test
    @Tag("G6")
    void endsAShortLeaseLater() {
        whileItRuns((key, ttl) -> {
            Grant grant = take(key, ttl);

            assertThat(releaseAfter(grant, LONG_TTL)).isTrue();
            letExpire(ttl);

            isRefused(key);
            assertHeldBy(grant);
        });
    }

    @Test
    @Tag("G6")
    void setsTheEndThatIsToldToOthers() {
        Grant grant = take(KEY);
        Duration rest = Duration.ofMinutes(2);

        assertThat(releaseAfter(grant, rest)).isTrue();

        Instant end = record(KEY).expiresAt();
        assertThat(end)
                .isBetween(grant.acquiredAt().plus(rest), grant.acquiredAt().plus(rest.plusMinutes(1)));
        assertThat(backend.lookup(grant.lockId()).orElseThrow().expiresAt()).isEqualTo(end);
        assertThat(isRefused(KEY).remaining()).isBetween(Duration.ofMinutes(1), counted(rest));
    }

    @Test
    @Tag("G6")
    void changesNothingButTheEnd() {
        Grant grant = take(KEY);
        Grant before = record(KEY).raw();

        assertThat(releaseAfter(grant, LONG_TTL.dividedBy(2))).isTrue();

        assertThat(record(KEY).raw())
                .usingRecursiveComparison()
                .ignoringFields("expiresAt")
                .isEqualTo(before);
    }

    @Test
    @Tag("G2")
    void isFollowedByAGreaterToken() {
        Grant grant = take(KEY);
        assertThat(releaseAfter(grant, shortTtl())).isTrue();
        letExpire();

        assertThat(take(KEY).token()).isGreaterThan(grant.token());
    }

    @Test
    @Tag("G6")
    void canBeRepeatedWhenItsReplyWasLost() {
        Grant grant = take(KEY);
        FaultScript faults = new FaultScript().next(BackendOperation.RELEASE_AFTER, Fault.lostReply());
        FaultyLockBackend lossy = FaultyLockBackend.over(backend, faults);

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> lossy.releaseAfter(KEY, grant.lockId(), LONG_TTL));

        assertThat(lossy.releaseAfter(KEY, grant.lockId(), LONG_TTL.dividedBy(2)))
                .isTrue();
        assertHeldBy(grant);
    }

    @Test
    @Tag("G6")
    void worksThroughAnotherHandle() {
        Grant grant = take(KEY);

        assertThat(fixture().open().releaseAfter(KEY, grant.lockId(), LONG_TTL)).isTrue();
    }

    @Test
    @Tag("G6")
    void leavesTheRestToARelease() {
        Grant grant = take(KEY);
        assertThat(releaseAfter(grant, LONG_TTL)).isTrue();

        assertThat(release(grant)).isTrue();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void isNotShortenedByALateExtension() {
        Grant grant = take(KEY);
        assertThat(releaseAfter(grant, LONG_TTL)).isTrue();
        Instant end = record(KEY).expiresAt();

        assertThat(backend.extend(KEY, grant.lockId(), shortTtl())).contains(end);
    }

    @Test
    @Tag("G6")
    void isProlongedByALateExtensionToItsTtlAtMost() {
        whileItRuns((key, ttl) -> {
            Grant grant = take(key);
            assertThat(releaseAfter(grant, ttl.dividedBy(2))).isTrue();

            assertThat(extend(grant, ttl)).isTrue();
            letExpire(ttl);

            assertFree(key);
        });
    }

    @Test
    @Tag("G6")
    void revivesNoExpiredLease() {
        Grant grant = takeAndLetExpire(KEY);

        assertThat(releaseAfter(grant, LONG_TTL)).isFalse();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void revivesNoReleasedLease() {
        Grant grant = takeAndRelease(KEY);

        assertThat(releaseAfter(grant, LONG_TTL)).isFalse();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void leavesTheNextHoldersLeaseAsItIs() {
        Grant late = takeAndLetExpire(KEY);
        Grant next = take(KEY);
        Instant end = record(KEY).expiresAt();

        assertThat(releaseAfter(late, shortTtl())).isFalse();
        assertThat(backend.releaseAfter(KEY, LockId.random(), shortTtl())).isFalse();

        assertHeldBy(next);
        assertThat(record(KEY).expiresAt()).isEqualTo(end);
    }

    @Test
    @Tag("G6")
    void leavesTheHolderOfAnotherKeyAlone() {
        Grant grant = take(KEY);
        Grant other = take(OTHER_KEY);
        Instant end = record(OTHER_KEY).expiresAt();

        assertThat(backend.releaseAfter(OTHER_KEY, grant.lockId(), shortTtl())).isFalse();

        assertHeldBy(other);
        assertThat(record(OTHER_KEY).expiresAt()).isEqualTo(end);
    }

    @Test
    @Tag("G6")
    void answersFalseForAKeyThatWasNeverTaken() {
        assertThat(backend.releaseAfter(KEY, LockId.random(), LONG_TTL)).isFalse();

        assertFree(KEY);
    }

    @Test
    @Tag("G9")
    void refusesABadRestBeforeItAsksTheStore() {
        Grant grant = take(KEY);
        List<Duration> bad = List.of(
                Duration.ZERO,
                Duration.ofMillis(-1),
                Duration.ofSeconds(Long.MIN_VALUE),
                LockOptions.MAX_TTL.plusNanos(1));

        for (Duration rest : bad) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> releaseAfter(grant, rest))
                    .withMessageContaining("rest is");
        }
        backend.close();
        for (Duration rest : bad) {
            assertThatIllegalArgumentException().isThrownBy(() -> releaseAfter(grant, rest));
        }
    }

    private boolean releaseAfter(Grant grant, Duration rest) {
        return backend.releaseAfter(grant.key(), grant.lockId(), rest);
    }
}
