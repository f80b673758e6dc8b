package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.FenceStamp;
import io.fenceline.LockKey;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.telemetry.LockEvent.ForeignRefused;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Resources know nothing of one another, and each belongs to one lock. */
@Tag("R7")
abstract class FenceOwnerContract extends GuardVocabulary {

    @Test
    void keepsResourcesApart() {
        write(34, "mine");

        data.write(OTHER_RESOURCE, stamp(1), "other");

        assertThat(data.read(OTHER_RESOURCE)).contains("other");
        assertValue("mine");
        assertHighest(34);
    }

    @Test
    void keepsResourcesWithSimilarNamesApart() {
        List<String> names = new ArrayList<>();
        NastyKeys.all().map(LockKey::value).forEach(name -> {
            data.write(name, stamp(34), "of " + name);
            names.add(name);
        });

        for (String name : names) {
            assertThat(data.read(name)).as(name).contains("of " + name);
            assertThat(guard.highest(name)).as(name).isPresent();
            refused(() -> data.write(name, stamp(33), "stale"));
        }
    }

    @Test
    void refusesATokenOfAnotherLockHoweverGreat() {
        assumeTrue(fixture().keepsLockKeys());
        write(34, "mine");
        FenceStamp foreign = stamp("another-lock", 99);

        ForeignTokenException refusal =
                refusedAs(ForeignTokenException.class, () -> data.write(RESOURCE, foreign, "foreign"));
        refusedAs(ForeignTokenException.class, () -> guard.claim(RESOURCE, foreign));

        assertValue("mine");
        assertHighest(34);
        assertThat(refusal.presented()).isEqualTo(foreign);
        assertThat(refusal.owner()).isEqualTo(stamp(1).key());
        assertThat(guard.check(RESOURCE, foreign)).isEqualTo(new Verdict.Foreign(stamp(1).key()));
        assertThat(events).hasOnlyElementsOfType(ForeignRefused.class).hasSize(2);
    }

    @Test
    void remembersTheLockOfAClaim() {
        assumeTrue(fixture().keepsLockKeys());
        guard.claim(RESOURCE, stamp(34));

        refusedAs(ForeignTokenException.class, () -> data.write(RESOURCE, stamp("another-lock", 99), "foreign"));

        assertThat(guard.highest(RESOURCE)).contains(stamp(34));
    }

    @Test
    void takesAnyLockKey() {
        assumeTrue(fixture().keepsLockKeys());

        NastyKeys.all().forEach(key -> {
            String resource = "of " + key.value().hashCode();
            data.write(resource, stamp(key.value(), 34), "written");
            assertThat(guard.highest(resource)).contains(stamp(key.value(), 34));
        });
    }
}
