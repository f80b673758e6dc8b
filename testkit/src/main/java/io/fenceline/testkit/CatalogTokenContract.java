package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.LockCatalog.KeyToken;
import io.fenceline.spi.TokenMode;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@link LockCatalog#lastToken}, {@link LockCatalog#tokens} and {@link LockCatalog#raiseToken}. */
abstract class CatalogTokenContract extends ContractVocabulary {

    private static final Holder OPERATOR = Holder.of("operator");
    private static final FencingToken LAST = FencingToken.of(FencingToken.MAX_VALUE);

    private LockCatalog catalog;

    @BeforeEach
    final void findCatalog() {
        catalog = backend.ability(LockCatalog.class).orElseThrow();
    }

    @Test
    @Tag("G10")
    void failWithAllOfTheCatalogWhenTheBackendIsClosed() {
        Grant grant = take(KEY);
        backend.close();

        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> catalog.list("", 1),
                () -> catalog.lastToken(KEY),
                () -> catalog.tokens("", "", 1),
                () -> catalog.raiseToken(KEY, LAST, OPERATOR),
                () -> catalog.forceRelease(KEY, OPERATOR))) {
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(call)
                    .returns(Effect.NONE, BackendException::effect);
        }
        assertThat(fixture().open().lookup(KEY))
                .hasValueSatisfying(record -> assertThat(record.token()).isEqualTo(grant.token()));
    }

    @Test
    void areUnknownForAFreshKey() {
        assertThat(catalog.lastToken(KEY)).isEmpty();
        assertThat(catalog.lastToken(KEY)).isEmpty();
    }

    @Test
    void areThoseOfTheRunningLease() {
        Grant block = granted(backend.acquire(blockRequest(KEY, LockId.random(), 10)));

        assertThat(catalog.lastToken(KEY)).contains(block.lastToken());
    }

    /** Takes a key, and releases it where the store still lists it then. */
    private void leave(LockKey key) {
        Grant grant = take(key);
        if (fixture().keepsFreeKeys()) {
            backend.release(key, grant.lockId());
        }
    }

    @Test
    void areListedForAllKeysInTheOrderOfTheirCodePointsHeldOrNot() {
        assertThat(catalog.tokens("", "", 10)).isEmpty();
        List<String> sorted = List.of("A", "a", "a:b", "ab", "\u00e9", "\uff5e", "\ud83d\ude00");
        Stream.of("\uff5e", "ab", "\ud83d\ude00", "A", "\u00e9").forEach(key -> leave(LockKey.of(key)));
        take(LockKey.of("a:b"));
        catalog.raiseToken(LockKey.of("a"), FencingToken.of(80_000_000_000_000L), OPERATOR);

        assertThat(keysOf(catalog.tokens("", "", 100))).isEqualTo(sorted);
        assertThat(catalog.tokens("", "", 100))
                .allSatisfy(
                        listed -> assertThat(catalog.lastToken(listed.key())).contains(listed.last()));
    }

    @Test
    void areListedInPagesAndByPrefix() {
        Stream.of("a%b", "a_b", "axb", "a*b", "b").forEach(key -> leave(LockKey.of(key)));

        assertThat(keysOf(catalog.tokens("a", "", 100))).containsExactly("a%b", "a*b", "a_b", "axb");
        assertThat(keysOf(catalog.tokens("a_", "", 100))).containsExactly("a_b");
        assertThat(keysOf(catalog.tokens("", "", 2))).containsExactly("a%b", "a*b");
        assertThat(keysOf(catalog.tokens("", "a*b", 2))).containsExactly("a_b", "axb");
        assertThat(keysOf(catalog.tokens("a", "a.", 2))).containsExactly("a_b", "axb");
        assertThat(catalog.tokens("a", "axb", 2)).isEmpty();
        assertThat(catalog.tokens("%", "", 2)).isEmpty();
    }

    @Test
    @Tag("G9")
    void areNotListedUpToALimitBelowOne() {
        assertThatIllegalArgumentException().isThrownBy(() -> catalog.tokens("", "", 0));
    }

    private static List<String> keysOf(List<KeyToken> tokens) {
        return tokens.stream().map(listed -> listed.key().value()).toList();
    }

    @Test
    @Tag("G2")
    void canBeRaised() {
        FencingToken target = FencingToken.of(80_000_000_000_000L);

        assertThat(catalog.raiseToken(KEY, target, OPERATOR)).isEqualTo(target);

        assertThat(catalog.lastToken(KEY)).contains(target);
        assertFree(KEY);
        assertThat(take(KEY).token().value()).isEqualTo(target.value() + 1);
    }

    @Test
    @Tag("G2")
    void cannotBeLowered() {
        Grant block = granted(backend.acquire(blockRequest(KEY, LockId.random(), 10)));

        assertThat(catalog.raiseToken(KEY, block.token(), OPERATOR)).isEqualTo(block.lastToken());

        assertThat(catalog.lastToken(KEY)).contains(block.lastToken());
    }

    @Test
    @Tag("G2")
    void canBeRaisedWhileALeaseRunsAndLeaveItAsItIs() {
        Grant grant = take(KEY);
        FencingToken target = FencingToken.of(80_000_000_000_000L);

        catalog.raiseToken(KEY, target, OPERATOR);

        assertHeldBy(grant);
        assertThat(release(grant)).isTrue();
        assertThat(take(KEY).token()).isGreaterThan(target);
    }

    @Test
    @Tag("G2")
    void stayRaisedAcrossARestart() {
        FencingToken target = FencingToken.of(80_000_000_000_000L);
        catalog.raiseToken(KEY, target, OPERATOR);

        fixture().restart();
        backend = fixture().open();

        assertThat(take(KEY).token()).isGreaterThan(target);
    }

    @Test
    @Tag("G5")
    void areNearTheirLimitAboveTheWarningValue() {
        catalog.raiseToken(KEY, FencingToken.of(FencingToken.WARNING_VALUE), OPERATOR);

        assertThat(take(KEY).token().isNearLimit()).isTrue();
    }

    @Test
    @Tag("G5")
    void goUpToTheLastOneAndNoFurther() {
        catalog.raiseToken(KEY, FencingToken.of(FencingToken.MAX_VALUE - 1), OPERATOR);

        assertThat(takeAndRelease(KEY).token()).isEqualTo(LAST);

        assertUsedUp(1);
        assertUsedUp(1);
    }

    @Test
    @Tag("G5")
    void areNotMintedInABlockThatDoesNotFit() {
        assumeTrue(fixture().tokenMode() == TokenMode.COUNTER, "a block that is ahead of the clock may have one token");
        catalog.raiseToken(KEY, FencingToken.of(FencingToken.MAX_VALUE - 9), OPERATOR);

        assertUsedUp(10);

        assertThat(granted(backend.acquire(blockRequest(KEY, LockId.random(), 9)))
                        .lastToken())
                .isEqualTo(LAST);
    }

    @Test
    @Tag("G5")
    void areNotUsedUpForOtherKeys() {
        catalog.raiseToken(KEY, LAST, OPERATOR);

        long fresh = fixture().tokenMode() == TokenMode.COUNTER ? 1 : FencingToken.WARNING_VALUE;
        assertThat(take(OTHER_KEY).token().value()).isLessThanOrEqualTo(fresh);
    }

    @Test
    @Tag("G5")
    void thatAreUsedUpLeaveTheRunningLeaseAsItIs() {
        Grant grant = take(KEY);
        catalog.raiseToken(KEY, LAST, OPERATOR);

        isRefused(KEY);
        assertThat(extend(grant, LONG_TTL)).isTrue();
        assertThat(granted(backend.acquire(request(KEY, grant.lockId(), LONG_TTL)))
                        .token())
                .isEqualTo(grant.token());
        assertThat(release(grant)).isTrue();
        assertUsedUp(1);
    }

    private void assertUsedUp(int tokens) {
        FencingToken before = catalog.lastToken(KEY).orElseThrow();
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> backend.acquire(blockRequest(KEY, LockId.random(), tokens)))
                .returns(ErrorCode.INTERNAL, BackendException::code)
                .returns(Effect.NONE, BackendException::effect);
        assertThat(catalog.lastToken(KEY)).contains(before);
        assertFree(KEY);
    }
}
