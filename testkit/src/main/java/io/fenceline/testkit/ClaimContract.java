package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FencingToken;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.LockEvent.StaleRefused;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of claims: a claim closes the window in which a new holder has read and not yet written. */
@Tag("R4")
abstract class ClaimContract extends GuardVocabulary {

    @Test
    void shutsOutOlderHoldersBeforeTheNewOneWrites() {
        write(33, "of the old holder");

        guard.claim(RESOURCE, stamp(34));

        refused(() -> write(33, "stale"));
        assertValue("of the old holder");
        write(34, "of the new holder");
        assertValue("of the new holder");
    }

    @Test
    void worksOnWhatDoesNotExistYet() {
        guard.claim(RESOURCE, stamp(34));

        assertHighest(34);
        assertThat(data.read(RESOURCE)).isEmpty();
        refused(() -> write(33, "stale"));
        assertThat(data.read(RESOURCE)).isEmpty();
        write(34, "made");
        assertValue("made");
    }

    @Test
    void changesNoData() {
        write(33, "as it was");

        guard.claim(RESOURCE, stamp(34));

        assertValue("as it was");
    }

    @Test
    void canBeRepeated() {
        guard.claim(RESOURCE, stamp(34));
        guard.claim(RESOURCE, stamp(34));
        write(34, "written");
        guard.claim(RESOURCE, stamp(34));

        assertHighest(34);
        assertValue("written");
    }

    @Test
    void isRefusedToOlderHoldersAndLowersNothing() {
        guard.claim(RESOURCE, stamp(34));

        StaleTokenException refusal = refused(() -> guard.claim(RESOURCE, stamp(33)));

        assertThat(refusal.highest()).isEqualTo(FencingToken.of(34));
        assertHighest(34);
        assertThat(events).hasOnlyElementsOfType(StaleRefused.class).hasSize(1);
    }

    @Test
    void isSeenThroughEveryHandle() {
        GuardedData elsewhere = fixture().open(FenceRule.AT_LEAST);

        guard.claim(RESOURCE, stamp(34));

        refused(() -> elsewhere.write(RESOURCE, stamp(33), "stale"));
        assertThat(elsewhere.guard().highest(RESOURCE).orElseThrow().token()).isEqualTo(FencingToken.of(34));
    }

    @Test
    void takesSeveralResourcesAtOnce() {
        guard.claimAll(List.of(RESOURCE, OTHER_RESOURCE), stamp(34));

        refused(() -> data.write(RESOURCE, stamp(33), "stale"));
        refused(() -> data.write(OTHER_RESOURCE, stamp(33), "stale"));
    }
}
