package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of fencing tokens. */
abstract class TokenContract extends ContractVocabulary {

    @Test
    @Tag("G4")
    void startWhereTheTokenModeSays() {
        assertStartsAFreshKey(take(KEY));
    }

    @Test
    @Tag("G4")
    void startAnewForEachKey() {
        for (int i = 0; i < 5; i++) {
            takeAndRelease(KEY);
        }

        assertStartsAFreshKey(take(OTHER_KEY));
    }

    @Test
    @Tag("G2")
    void riseFromGrantToGrantAsNumbersAndAsTexts() {
        List<FencingToken> tokens = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            tokens.add(takeAndRelease(KEY).token());
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(tokens).extracting(FencingToken::text).isSorted().allMatch(text -> text.matches("[0-9]{15}"));
    }

    @Test
    @Tag("G2")
    void riseIndependentlyForTwoKeys() {
        Grant a1 = takeAndRelease(KEY);
        Grant b1 = takeAndRelease(OTHER_KEY);
        Grant a2 = takeAndRelease(KEY);
        Grant b2 = takeAndRelease(OTHER_KEY);

        assertThat(a2.token()).isGreaterThan(a1.token());
        assertThat(b2.token()).isGreaterThan(b1.token());
    }

    @Test
    @Tag("G2")
    void riseAcrossExpiryWhetherOrNotSomebodyLooked() {
        Grant first = takeAndLetExpire(KEY);
        Grant second = takeAndLetExpire(KEY);
        assertThat(backend.isLocked(KEY)).isFalse();
        assertThat(backend.lookup(second.lockId())).isEmpty();
        Grant third = take(KEY);

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(third.token()).isGreaterThan(second.token());
    }

    @Test
    @Tag("G2")
    void riseAcrossALongIdleTime() {
        Grant first = takeAndRelease(KEY);
        letExpire();
        letExpire();

        assertThat(take(KEY).token()).isGreaterThan(first.token());
    }

    @Test
    @Tag("G2")
    void riseAcrossARestart() {
        Grant released = takeAndRelease(KEY);
        Grant running = take(OTHER_KEY, shortTtl());

        fixture().restart();
        backend = fixture().open();
        letExpire();

        assertThat(take(KEY).token()).isGreaterThan(released.token());
        assertThat(take(OTHER_KEY).token()).isGreaterThan(running.token());
    }

    @Test
    @Tag("G1")
    void belongToLeasesThatRunOnAcrossARestart() {
        Grant grant = take(KEY);

        fixture().restart();
        backend = fixture().open();

        isRefused(KEY);
        assertHeldBy(grant);
        assertThat(release(grant)).isTrue();
    }

    @Test
    @Tag("G2")
    void riseAcrossHandles() {
        Grant first = takeAndRelease(KEY);
        backend.close();
        backend = fixture().open();

        assertThat(take(KEY).token()).isGreaterThan(first.token());
    }

    @Test
    @Tag("G3")
    void areNotSpentOnRefusedAttempts() {
        Grant grant = take(KEY);
        for (int i = 0; i < 20; i++) {
            isRefused(KEY);
            refused(backend.acquire(blockRequest(KEY, LockId.random(), 1000)));
        }
        assertThat(release(grant)).isTrue();
        Grant next = take(KEY);

        assertFollowsDirectly(grant, next);
    }

    @Test
    @Tag("G6")
    void areNotSpentOnExtensionsAndReleases() {
        Grant grant = take(KEY);
        assertThat(extend(grant, LONG_TTL)).isTrue();
        assertThat(extend(grant, LONG_TTL)).isTrue();
        assertThat(record(KEY).token()).isEqualTo(grant.token());
        assertThat(release(grant)).isTrue();
        assertThat(release(grant)).isFalse();
        Grant next = take(KEY);

        assertFollowsDirectly(grant, next);
    }

    @Test
    @Tag("G2")
    void comeInBlocks() {
        Grant before = takeAndRelease(KEY);
        Grant block = granted(backend.acquire(blockRequest(KEY, LockId.random(), 100)));
        assertThat(record(KEY).token()).isEqualTo(block.token());
        assertThat(release(block)).isTrue();
        Grant after = take(KEY);

        assertIsABlockOf(100, block);
        assertThat(block.token()).isGreaterThan(before.token());
        assertThat(block.lastToken().value()).isEqualTo(block.token().value() + block.tokens() - 1);
        assertThat(after.token()).isGreaterThan(block.lastToken());
    }

    @Test
    @Tag("G2")
    void riseAboveABlockThatExpired() {
        Grant block = granted(
                backend.acquire(new AcquireRequest(KEY, LockId.random(), shortTtl(), HOLDER, 1000, Duration.ZERO)));
        letExpire();

        assertThat(take(KEY).token()).isGreaterThan(block.lastToken());
    }

    @Test
    @Tag("G4")
    void startAFreshKeyWithABlock() {
        Grant block = granted(backend.acquire(blockRequest(KEY, LockId.random(), 10)));

        assertStartsAFreshKey(block);
    }

    /** However many are asked for, they are not ahead of the clock. */
    @Test
    @Tag("G4")
    void areNotRepeatedThoughTheCounterOfABlockIsLost() {
        takeAndRelease(KEY);
        Grant block = granted(backend.acquire(blockRequest(KEY, LockId.random(), 1_000_000)));
        assumeTrue(fixture().loseEverything(), "this store loses no counter");
        backend = fixture().open();
        fixture().passTime(Duration.ofMillis(1));

        Grant after = granted(backend.acquire(blockRequest(KEY, LockId.random(), 1_000_000)));

        assertThat(after.token()).isGreaterThan(block.lastToken());
    }

    private void assertStartsAFreshKey(Grant grant) {
        assertThat(grant.token().value()).isBetween(tokenAfter(0, grant, -1), tokenAfter(0, grant, 1));
    }

    private void assertFollowsDirectly(Grant before, Grant grant) {
        long last = before.lastToken().value();
        assertThat(grant.token().value()).isBetween(tokenAfter(last, grant, -1), tokenAfter(last, grant, 1));
    }

    /** The store may read its clock twice for one grant, hence a second of slack; in counter mode it makes no difference. */
    private long tokenAfter(long last, Grant grant, int slackSeconds) {
        long millis = grant.acquiredAt().plusSeconds(slackSeconds).toEpochMilli();
        return fixture().tokenMode().next(last, millis * 1000);
    }
}
