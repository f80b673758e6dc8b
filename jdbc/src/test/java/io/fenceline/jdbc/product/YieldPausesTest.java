package io.fenceline.jdbc.product;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockKey;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long others are given to come. */
@Tag("L7")
class YieldPausesTest {

    private static final LockKey KEY = LockKey.of("hot");

    private final YieldPauses pauses = new YieldPauses();
    private long fence = 10;

    @Test
    void othersHaveTimeToComeFromFarAway() {
        assertThat(pauses.next(KEY)).isEqualTo(YieldPauses.LONG);
    }

    @Test
    void theyHaveItAsLongAsTheyCome() {
        for (int i = 0; i < 5; i++) {
            assertThat(give(true)).isTrue();
        }
    }

    @Test
    void ifNobodyComesThePausesAreShortMoreAndMoreOften() {
        for (int shortOnes : new int[] {1, 2, 4, 8, 16, 32, 32}) {
            assertThat(give(false)).isTrue();
            for (int i = 0; i < shortOnes; i++) {
                assertThat(give(false))
                        .as("short one " + i + " of " + shortOnes)
                        .isFalse();
            }
        }
        assertThat(give(false)).isTrue();
    }

    @Test
    void oneWhoComesInAShortPauseMakesThemLongAgain() {
        give(false);
        give(true);

        assertThat(give(true)).isTrue();
    }

    @Test
    void aGrantWithoutAYieldSaysNothing() {
        give(false);
        pauses.granted(KEY, 100);

        assertThat(give(false)).isFalse();
    }

    /** Yields and has the lock again; answers whether the pause was long. */
    private boolean give(boolean somebodyComes) {
        boolean wasLong = pauses.next(KEY).equals(YieldPauses.LONG);
        pauses.yielded(KEY, fence);
        fence += somebodyComes ? 2 : 1;
        pauses.granted(KEY, fence);
        return wasLong;
    }
}
