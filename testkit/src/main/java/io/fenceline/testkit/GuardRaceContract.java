package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Check and effect are one step: whatever the threads and handles do at once, no stale write gets between. */
@Tag("R3")
abstract class GuardRaceContract extends GuardVocabulary {

    @Test
    void leavesTheValueOfTheGreatestTokenInWhateverOrderWritesArrive() {
        List<Long> greatest = Race.of(fixture().racers(), racer -> () -> {
            GuardedData own = fixture().open(FenceRule.AT_LEAST);
            long accepted = 0;
            for (int i = 0; i < fixture().cycles(); i++) {
                long token = ThreadLocalRandom.current().nextLong(1, 1_000);
                try {
                    own.write(RESOURCE, stamp(token), "of " + token);
                    accepted = Math.max(accepted, token);
                } catch (StaleTokenException refused) {
                    assertThat(refused.highest())
                            .isGreaterThan(refused.presented().token());
                }
            }
            return accepted;
        });

        long winner = greatest.stream().mapToLong(Long::longValue).max().orElseThrow();
        assertValue("of " + winner);
        assertHighest(winner);
    }

    @Test
    void losesNoWriteOfAHolderThatClaimedBeforeItRead() {
        AtomicLong tokens = new AtomicLong();
        Map<Long, String> accepted = new ConcurrentSkipListMap<>();

        Race.of(fixture().racers(), racer -> () -> {
            GuardedData own = fixture().open(FenceRule.AT_LEAST);
            for (int i = 0; i < fixture().cycles(); i++) {
                long token = tokens.incrementAndGet();
                try {
                    own.guard().claim(RESOURCE, stamp(token));
                    own.change(
                            RESOURCE,
                            stamp(token),
                            before -> before.map(text -> text + " ").orElse("") + token);
                    accepted.put(token, "");
                } catch (StaleTokenException overtaken) {
                    assertThat(overtaken.highest())
                            .isGreaterThan(overtaken.presented().token());
                }
            }
            return null;
        });

        String inOrder = String.join(
                " ",
                new TreeMap<>(accepted).keySet().stream().map(String::valueOf).toList());
        assertValue(inOrder);
    }

    @Test
    void letsOneWriteOfAGrantThroughWhereThatIsTheRule() {
        open(FenceRule.ONCE);
        List<Integer> written = Race.of(fixture().racers(), racer -> () -> {
            GuardedData own = fixture().open(FenceRule.ONCE);
            int successes = 0;
            for (int token = 1; token <= fixture().cycles(); token++) {
                try {
                    own.write(RESOURCE, stamp(token), racer + " with " + token);
                    successes++;
                } catch (StaleTokenException othersWereFirst) {
                    assertThat(othersWereFirst.gap()).isNotNegative();
                }
            }
            return successes;
        });

        int writes = written.stream().mapToInt(Integer::intValue).sum();
        assertThat(writes).isBetween(1, fixture().cycles());
        assertHighest(fixture().cycles());
    }
}
