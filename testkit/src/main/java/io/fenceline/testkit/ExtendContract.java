package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@code extend}. */
abstract class ExtendContract extends ContractVocabulary {

    @Test
    @Tag("G6")
    void keepsTheLockPastItsOldEnd() {
        whileItRuns((key, ttl) -> {
            Grant grant = take(key, ttl);
            fixture().passTime(ttl.dividedBy(2));

            assertThat(extend(grant, LONG_TTL)).isTrue();
            letExpire(ttl);

            isRefused(key);
            assertHeldBy(grant);
        });
    }

    @Test
    @Tag("G6")
    void tellsTheNewEnd() {
        Grant grant = take(KEY, Duration.ofSeconds(30));

        Instant end = backend.extend(KEY, grant.lockId(), LONG_TTL).orElseThrow();

        assertThat(end)
                .isBetween(grant.acquiredAt().plus(LONG_TTL), grant.acquiredAt().plus(LONG_TTL.plusMinutes(1)));
        assertThat(record(KEY).expiresAt()).isEqualTo(end);
    }

    @Test
    @Tag("G6")
    void countsFromNowAndNotFromTheOldEnd() {
        whileItRuns((key, ttl) -> {
            Grant grant = take(key, ttl);
            fixture().passTime(ttl.dividedBy(2));

            assertThat(extend(grant, ttl)).isTrue();
            letExpire(ttl);

            assertFree(key);
        });
    }

    @Test
    @Tag("G6")
    void neverMovesTheEndBack() {
        Grant grant = take(KEY, LONG_TTL);
        Instant end = record(KEY).expiresAt();

        assertThat(backend.extend(KEY, grant.lockId(), shortTtl())).contains(end);

        assertThat(record(KEY).expiresAt()).isEqualTo(end);
        letExpire();
        isRefused(KEY);
        assertHeldBy(grant);
    }

    @Test
    @Tag("G6")
    void doesNothingWhenAnOlderAndShorterOneArrivesAfterANewerOne() {
        Grant grant = take(KEY, shortTtl());
        Instant end = backend.extend(KEY, grant.lockId(), LONG_TTL).orElseThrow();

        assertThat(fixture().open().extend(KEY, grant.lockId(), shortTtl())).contains(end);

        letExpire();
        assertHeldBy(grant);
    }

    @Test
    @Tag("G6")
    void changesNothingButTheEnd() {
        Grant grant = take(KEY, Duration.ofSeconds(30));
        Grant before = record(KEY).raw();

        assertThat(extend(grant, LONG_TTL)).isTrue();

        assertThat(record(KEY).raw())
                .usingRecursiveComparison()
                .ignoringFields("expiresAt")
                .isEqualTo(before);
    }

    @Test
    @Tag("G6")
    void worksAgainAndAgain() {
        whileItRuns((key, ttl) -> {
            Grant grant = take(key, ttl);

            for (int i = 0; i < 3; i++) {
                fixture().passTime(ttl.dividedBy(2));
                assertThat(extend(grant, ttl)).isTrue();
            }

            assertHeldBy(grant);
            letExpire(ttl);
            assertFree(key);
        });
    }

    @Test
    @Tag("G6")
    void worksThroughAnotherHandle() {
        Grant grant = take(KEY);

        assertThat(fixture().open().extend(KEY, grant.lockId(), LONG_TTL)).isPresent();
    }

    @Test
    @Tag("G6")
    void keepsABlockOfTokensWhole() {
        Grant block = granted(backend.acquire(blockRequest(KEY, LockId.random(), 10)));

        assertThat(extend(block, LONG_TTL)).isTrue();
        assertThat(release(block)).isTrue();

        assertThat(take(KEY).token()).isGreaterThan(block.lastToken());
    }

    @Test
    @Tag("G6")
    void revivesNoExpiredLease() {
        Grant grant = takeAndLetExpire(KEY);

        assertThat(extend(grant, LONG_TTL)).isFalse();

        assertFree(KEY);
        take(KEY);
    }

    @Test
    @Tag("G6")
    void revivesNoReleasedLease() {
        Grant grant = takeAndRelease(KEY);

        assertThat(extend(grant, LONG_TTL)).isFalse();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void doesNothingForALateHolderOnceAnotherHasTheLock() {
        Grant late = takeAndLetExpire(KEY);
        Grant stranger = take(KEY);
        Instant end = record(KEY).expiresAt();

        assertThat(extend(late, LONG_TTL.multipliedBy(2))).isFalse();

        assertHeldBy(stranger);
        assertThat(record(KEY).expiresAt()).isEqualTo(end);
    }

    @Test
    @Tag("G6")
    void doesNothingForAStranger() {
        Grant grant = take(KEY, shortTtl());

        assertThat(backend.extend(KEY, LockId.random(), LONG_TTL)).isEmpty();

        assertHeldBy(grant);
        letExpire();
        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void doesNothingForTheHolderOfAnotherKey() {
        Grant grant = take(KEY);
        Grant other = take(OTHER_KEY, shortTtl());

        assertThat(backend.extend(OTHER_KEY, grant.lockId(), LONG_TTL)).isEmpty();

        assertHeldBy(other);
        letExpire();
        assertFree(OTHER_KEY);
        assertHeldBy(grant);
    }

    @Test
    @Tag("G6")
    void doesNothingForAKeyThatWasNeverTaken() {
        assertThat(backend.extend(KEY, LockId.random(), LONG_TTL)).isEmpty();

        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void leavesOwnershipAsItIs() {
        Grant grant = take(KEY);
        assertThat(extend(grant, LONG_TTL)).isTrue();

        assertThat(backend.release(KEY, LockId.random())).isFalse();
        assertThat(release(grant)).isTrue();
    }

    @Test
    @Tag("G9")
    void refusesABadTtlAndChangesNothing() {
        Grant grant = take(KEY);
        Instant end = record(KEY).expiresAt();

        for (Duration bad : badTtls()) {
            assertThatIllegalArgumentException().isThrownBy(() -> backend.extend(KEY, grant.lockId(), bad));
        }

        assertThat(record(KEY).expiresAt()).isEqualTo(end);
    }

    @Test
    @Tag("G9")
    void refusesABadTtlBeforeItAsksTheStore() {
        backend.close();

        for (Duration bad : badTtls()) {
            assertThatIllegalArgumentException().isThrownBy(() -> backend.extend(KEY, LockId.random(), bad));
        }
    }

    private static Iterable<Duration> badTtls() {
        return List.of(
                Duration.ZERO,
                Duration.ofMillis(-1),
                Duration.ofSeconds(Long.MIN_VALUE),
                LockOptions.MAX_TTL.plusNanos(1));
    }
}
