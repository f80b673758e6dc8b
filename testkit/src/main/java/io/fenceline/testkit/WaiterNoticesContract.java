package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.spi.WaiterNotices;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of backends with {@link WaiterNotices}: one process learns that another one waits. */
public abstract class WaiterNoticesContract extends AbilityContract {

    private static final Duration PAUSE = Duration.ofMillis(300);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private WaiterNotices here;
    private WaiterNotices elsewhere;

    /** Creates the contract; called by test engines. */
    protected WaiterNoticesContract() {}

    @BeforeEach
    final void openTwoProcesses() {
        here = backend.ability(WaiterNotices.class).orElseThrow();
        elsewhere = fixture().open().ability(WaiterNotices.class).orElseThrow();
        take(KEY);
        take(OTHER_KEY);
    }

    @Test
    @Tag("L7")
    void tellsAnotherProcessOnce() {
        elsewhere.post(KEY, PAUSE, TIMEOUT);

        assertThat(here.take(KEY, TIMEOUT))
                .hasValueSatisfying(pause -> assertThat(pause).isBetween(PAUSE, PAUSE.plusMillis(1)));
        assertThat(here.take(KEY, TIMEOUT)).isEmpty();
    }

    @Test
    @Tag("L7")
    void isOfOneKey() {
        elsewhere.post(OTHER_KEY, PAUSE, TIMEOUT);

        assertThat(here.take(KEY, TIMEOUT)).isEmpty();
        assertThat(here.take(OTHER_KEY, TIMEOUT)).isPresent();
    }

    @Test
    @Tag("L7")
    void doesNotTellAProcessOfItselfAndMakesRoomForOthers() {
        here.post(KEY, PAUSE, TIMEOUT);

        assertThat(here.take(KEY, TIMEOUT)).isEmpty();
        elsewhere.post(KEY, PAUSE, TIMEOUT);
        assertThat(here.take(KEY, TIMEOUT)).isPresent();
    }

    @Test
    @Tag("L7")
    void isRenewedByItsProcessAndByNoOther() {
        elsewhere.post(KEY, PAUSE, TIMEOUT);
        here.post(KEY, PAUSE.multipliedBy(5), TIMEOUT);
        elsewhere.post(KEY, PAUSE.multipliedBy(2), TIMEOUT);

        assertThat(here.take(KEY, TIMEOUT))
                .hasValueSatisfying(pause -> assertThat(pause)
                        .isBetween(PAUSE.multipliedBy(2), PAUSE.multipliedBy(2).plusMillis(1)));
    }
}
