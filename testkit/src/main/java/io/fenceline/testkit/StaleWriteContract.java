package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.FencingToken;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.telemetry.LockEvent.StaleRefused;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of verdicts: which tokens may write, and what the others are told. */
abstract class StaleWriteContract extends GuardVocabulary {

    @Test
    @Tag("R1")
    void refusesASmallerTokenAndWritesNothing() {
        write(34, "new holder");

        StaleTokenException refusal = refused(() -> write(33, "stale"));

        assertValue("new holder");
        assertHighest(34);
        assertThat(refusal.resource()).isEqualTo(RESOURCE);
        assertThat(refusal.presented().token()).isEqualTo(FencingToken.of(33));
        assertThat(refusal.highest()).isEqualTo(FencingToken.of(34));
        assertThat(refusal).hasMessageContaining("000000000000033").hasMessageContaining("000000000000034");
    }

    @Test
    @Tag("R1")
    void refusesAgainAndAgain() {
        write(34, "new holder");

        for (int i = 0; i < 3; i++) {
            refused(() -> write(33, "stale"));
        }

        write(34, "still at work");
        assertValue("still at work");
    }

    @Test
    @Tag("R2")
    void letsAHolderWriteAsOftenAsItLikes() {
        write(34, "first");
        write(34, "second");
        write(34, "third");

        assertValue("third");
    }

    @Test
    @Tag("R2")
    void letsLaterHoldersWriteWhateverTheGap() {
        write(1, "first");
        write(2, "next");
        write(FencingToken.MAX_VALUE, "last");

        assertValue("last");
        assertHighest(FencingToken.MAX_VALUE);
        assertThat(refused(() -> write(FencingToken.MAX_VALUE - 1, "stale")).gap())
                .isOne();
    }

    @Test
    @Tag("R2")
    void letsAGrantWriteOnceWhereThatIsTheRule() {
        open(FenceRule.ONCE);
        write(34, "once");

        StaleTokenException refusal = refused(() -> write(34, "twice"));
        assertThat(refusal.gap()).isZero();
        refused(() -> write(33, "stale"));
        assertValue("once");

        write(35, "next grant");
        assertValue("next grant");
    }

    @Test
    @Tag("R2")
    void countsNoClaimAsTheOneWrite() {
        assumeTrue(fixture().tellsClaimsFromWrites());
        open(FenceRule.ONCE);
        guard.claim(RESOURCE, stamp(34));

        write(34, "once");
        guard.claim(RESOURCE, stamp(34));

        refused(() -> write(34, "twice"));
        assertValue("once");
    }

    @Test
    @Tag("R6")
    void acceptsTheFirstWriteToWhatWasNeverFenced() {
        assertThat(guard.highest(RESOURCE)).isEmpty();
        assertThat(guard.check(RESOURCE, stamp(1))).isEqualTo(new Verdict.Accepted());

        write(1, "first");

        assertValue("first");
        assertHighest(1);
    }

    @Test
    @Tag("R1")
    void tellsBeforehandWhatAWriteWouldBeAnswered() {
        write(34, "new holder");

        assertThat(guard.check(RESOURCE, stamp(33))).isEqualTo(new Verdict.Stale(FencingToken.of(34)));
        assertThat(guard.check(RESOURCE, stamp(33)).isAccepted()).isFalse();
        assertThat(guard.check(RESOURCE, stamp(34))).isEqualTo(new Verdict.Accepted());
        assertThat(guard.check(RESOURCE, stamp(35))).isEqualTo(new Verdict.Accepted());
        assertHighest(34);
    }

    @Test
    @Tag("R9")
    void makesEachRefusalAnEvent() {
        write(34, "new holder");
        assertThat(events).isEmpty();

        refused(() -> write(31, "stale"));

        assertThat(events).hasSize(1);
        StaleRefused event = (StaleRefused) events.get(0);
        assertThat(event.resource()).isEqualTo(RESOURCE);
        assertThat(event.presented().token()).isEqualTo(FencingToken.of(31));
        assertThat(event.highest()).isEqualTo(FencingToken.of(34));
        assertThat(event.gap()).isEqualTo(3);
    }
}
