package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.GenerationClock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link GenerationClock}. A clock's test class extends this. */
public abstract class GenerationClockContract {

    private static final String NAME = "books";
    private static final int RACERS = 6;
    private static final int NUMBERS = 50;

    private GenerationClock clock;

    /** Creates the contract; called by test engines. */
    protected GenerationClockContract() {}

    /**
     * Opens a clock on the store of the running test, which is empty before the first one. Called several times by some
     * tests, as several processes would.
     *
     * @return a clock
     */
    protected abstract GenerationClock openClock();

    @BeforeEach
    final void openFirst() {
        clock = openClock();
    }

    @Test
    void growsWithEveryCall() {
        FencingToken first = clock.next(NAME);
        FencingToken second = clock.next(NAME);
        FencingToken third = openClock().next(NAME);

        assertThat(second).isGreaterThan(first);
        assertThat(third).isGreaterThan(second);
    }

    @Test
    void givesNoNumberTwiceAndNoneThatIsSmallerThanOneGivenBefore() {
        List<List<FencingToken>> taken = Race.of(RACERS, racer -> () -> {
            GenerationClock own = openClock();
            List<FencingToken> numbers = new ArrayList<>();
            for (int i = 0; i < NUMBERS; i++) {
                FencingToken seen = own.current(NAME).orElse(FencingToken.of(1));
                FencingToken next = own.next(NAME);
                assertThat(next).isGreaterThanOrEqualTo(seen);
                numbers.add(next);
            }
            return numbers;
        });

        taken.forEach(numbers -> assertThat(numbers).isSorted());
        List<FencingToken> all = taken.stream().flatMap(List::stream).toList();
        assertThat(new HashSet<>(all)).hasSize(RACERS * NUMBERS);
        assertThat(clock.current(NAME))
                .contains(all.stream().max(FencingToken::compareTo).orElseThrow());
    }

    @Test
    void tellsTheLastNumberAndTakesNone() {
        assertThat(clock.current(NAME)).isEmpty();

        FencingToken taken = clock.next(NAME);

        assertThat(clock.current(NAME)).contains(taken);
        assertThat(clock.current(NAME)).contains(taken);
        assertThat(clock.nextStamp(NAME).key()).isEqualTo(LockKey.of(NAME));
    }

    @Test
    void keepsNamesApart() {
        clock.raise(NAME, FencingToken.of(1_000));

        assertThat(clock.current("authors")).isEmpty();
        assertThat(clock.next(NAME)).isGreaterThan(FencingToken.of(1_000));
        clock.next("authors");
        assertThat(clock.current("Books")).isEmpty();
    }

    @Test
    void takesAnyName() {
        NastyKeys.all().map(LockKey::value).forEach(name -> {
            FencingToken first = clock.next(name);
            assertThat(clock.next(name)).as(name).isGreaterThan(first);
        });
    }

    @Test
    void canBeRaisedAndNotLowered() {
        FencingToken first = clock.next(NAME);
        FencingToken far = FencingToken.of(first.value() + 1_000);

        clock.raise(NAME, far);
        clock.raise(NAME, first);

        assertThat(clock.next(NAME)).isGreaterThan(far);
    }
}
