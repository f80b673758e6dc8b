package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.guard.FenceRule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of a guard's memory: it outlives the data, the handle and the store's process. */
@Tag("R5")
abstract class FenceMemoryContract extends GuardVocabulary {

    @Test
    void outlivesADelete() {
        assumeTrue(fixture().deletes());
        write(34, "written");

        data.delete(RESOURCE, stamp(34));

        assertThat(data.read(RESOURCE)).isEmpty();
        assertHighest(34);
        refused(() -> write(33, "back from the dead"));
        assertThat(data.read(RESOURCE)).isEmpty();
        write(35, "made anew");
        assertValue("made anew");
    }

    @Test
    void refusesAStaleDelete() {
        assumeTrue(fixture().deletes());
        write(34, "written");

        refused(() -> data.delete(RESOURCE, stamp(33)));

        assertValue("written");
        assertHighest(34);
    }

    @Test
    void isRaisedByADeleteAsByAnyWrite() {
        assumeTrue(fixture().deletes());
        write(33, "written");

        data.delete(RESOURCE, stamp(34));

        assertThat(data.read(RESOURCE)).isEmpty();
        refused(() -> write(33, "back from the dead"));
    }

    @Test
    void isMadeByADeleteOfWhatIsNotThere() {
        assumeTrue(fixture().deletes());

        data.delete(RESOURCE, stamp(34));

        refused(() -> write(33, "late insert"));
        assertThat(data.read(RESOURCE)).isEmpty();
    }

    @Test
    void outlivesARestart() {
        write(33, "written");
        guard.claim(OTHER_RESOURCE, stamp(35));

        fixture().restart();
        open(FenceRule.AT_LEAST);

        assertHighest(33);
        refused(() -> write(32, "stale"));
        refused(() -> data.write(OTHER_RESOURCE, stamp(34), "stale"));
        assertValue("written");
    }
}
