package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockRecord;
import io.fenceline.spi.LockCatalog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@link LockCatalog#forceRelease}. */
abstract class ForcedReleaseContract extends ContractVocabulary {

    private static final Holder OPERATOR = Holder.of("operator");

    private LockCatalog catalog;

    @BeforeEach
    final void findCatalog() {
        catalog = backend.ability(LockCatalog.class).orElseThrow();
    }

    @Test
    void endsTheLeaseOfAnyHolder() {
        Grant grant = take(KEY);

        LockRecord ended = catalog.forceRelease(KEY, OPERATOR).orElseThrow();

        assertThat(ended.raw().lockId()).isEqualTo(grant.lockId());
        assertThat(ended.token()).isEqualTo(grant.token());
        assertFree(KEY);
        assertThat(backend.lookup(grant.lockId())).isEmpty();
    }

    @Test
    @Tag("G6")
    void leavesTheFormerHolderNothingToExtendOrRelease() {
        Grant grant = take(KEY);
        catalog.forceRelease(KEY, OPERATOR);

        assertThat(extend(grant, LONG_TTL)).isFalse();
        assertThat(release(grant)).isFalse();
        assertFree(KEY);
    }

    @Test
    @Tag("G2")
    void spendsATokenAboveThoseOfTheLease() {
        Grant block = granted(backend.acquire(blockRequest(KEY, LockId.random(), 10)));

        catalog.forceRelease(KEY, OPERATOR);

        assertThat(catalog.lastToken(KEY).orElseThrow()).isGreaterThan(block.lastToken());
        assertThat(take(KEY).token())
                .isGreaterThan(FencingToken.of(block.lastToken().value() + 1));
    }

    @Test
    void changesNothingIfTheLockIsFree() {
        assertThat(catalog.forceRelease(KEY, OPERATOR)).isEmpty();
        assertThat(catalog.lastToken(KEY)).isEmpty();

        Grant expired = takeAndLetExpire(OTHER_KEY);
        assertThat(catalog.forceRelease(OTHER_KEY, OPERATOR)).isEmpty();
        assertThat(take(OTHER_KEY).token()).isGreaterThan(expired.token());
    }

    @Test
    void leavesOtherKeysAlone() {
        take(KEY);
        Grant other = take(OTHER_KEY);

        catalog.forceRelease(KEY, OPERATOR);

        assertHeldBy(other);
    }

    @Test
    @Tag("G2")
    void leavesTheLeaseAloneIfNoTokenIsLeftToSpend() {
        Grant grant = take(KEY);
        catalog.raiseToken(KEY, FencingToken.of(FencingToken.MAX_VALUE), OPERATOR);

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> catalog.forceRelease(KEY, OPERATOR))
                .returns(ErrorCode.INTERNAL, BackendException::code)
                .returns(Effect.NONE, BackendException::effect);

        assertHeldBy(grant);
    }

    @Test
    void worksThroughAnotherHandle() {
        take(KEY);

        LockCatalog elsewhere = fixture().open().ability(LockCatalog.class).orElseThrow();

        assertThat(elsewhere.forceRelease(KEY, OPERATOR)).isPresent();
        assertFree(KEY);
    }
}
