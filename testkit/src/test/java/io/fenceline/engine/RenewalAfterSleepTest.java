package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** L3: a renewal after a sleep of the machine, or a step of its wall clock, that leaves some of the lease. */
class RenewalAfterSleepTest {

    private static final Duration THIRD = TTL.dividedBy(3);
    private static final Duration FULL = TTL.minus(MARGIN);

    /** The wall clock is read in milliseconds. */
    private static final Duration ROUNDING = Duration.ofMillis(3);

    private final Bench bench = Bench.polling();

    @Test
    void comesEarlierByItsLength() {
        Lease lease = bench.acquire();

        bench.time.suspend(Duration.ofSeconds(3));
        assertThat(bench.locks.runDueSteps())
                .isBetween(THIRD.minusSeconds(3), THIRD.minusSeconds(3).plus(ROUNDING));

        assertThatSleepLeadsToARenewal(lease, 1);
    }

    @Test
    void comesAtOnceAlsoIfItSleptBefore() {
        Lease lease = bench.acquire();

        assertThatSleepLeadsToARenewal(lease, 1);
        bench.pass(Duration.ofSeconds(3));
        assertThatSleepLeadsToARenewal(lease, 2);

        bench.pass(THIRD.minusMillis(1));
        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(2);
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(3);
    }

    @Test
    void comesAtOnceAlsoIfTheClockWentBackBefore() {
        bench.time.stepWallClock(Duration.ofSeconds(-30));
        bench.locks.runDueSteps();
        Lease lease = bench.acquire();

        assertThatSleepLeadsToARenewal(lease, 1);
    }

    /** The watch has looked at the clocks before there was the lease. */
    @Test
    void comesAtOnceIfItSleptDuringTheAcquisition() {
        bench.events.after(BackendOperation.ACQUIRE, this::sleepUnderWatch);
        Lease lease = bench.acquire();

        bench.locks.runDueSteps();

        assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
        assertThat(lease.remaining()).isEqualTo(FULL);
    }

    @Test
    void comesAtOnceIfItSleptDuringARenewal() {
        Lease lease = bench.acquire();
        bench.events.after(BackendOperation.EXTEND, this::sleepUnderWatch);

        bench.pass(THIRD);
        bench.locks.runDueSteps();

        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(2);
        assertThat(lease.remaining()).isEqualTo(FULL);
    }

    @Test
    void isRepeatedAsOftenAsWithoutOne() {
        bench.acquire();
        bench.time.suspend(Duration.ofSeconds(20));
        bench.faults.next(BackendOperation.EXTEND, Fault.lostRequest());

        assertThat(bench.locks.runDueSteps()).isPositive();
        assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
    }

    /** One that is too short to move the deadline, which was counted before the sleep. */
    @Test
    void comesAsUsualAfterAnExtensionByTheHolder() {
        Lease lease = bench.acquire();
        bench.time.suspend(Duration.ofSeconds(5));
        bench.locks.runDueSteps();

        lease.extend(Duration.ofSeconds(15));

        assertThat(bench.locks.runDueSteps()).isGreaterThan(Duration.ofSeconds(4));
        assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
    }

    /** The clock is set forward and, a little later, back again. */
    @Test
    void isRepeatedSoonThoughTheClockGoesBack() {
        bench.acquire();
        bench.time.stepWallClock(Duration.ofSeconds(20));
        bench.faults.next(BackendOperation.EXTEND, Fault.lostRequest());
        Duration pause = bench.locks.runDueSteps();
        bench.time.stepWallClock(Duration.ofSeconds(-20));

        bench.pass(pause);

        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(2);
    }

    /** Steps that are too small to be a sleep add up. */
    @Test
    void comesEarlierByAllSmallStepsOfTheClock() {
        bench.acquire();
        for (int second = 0; second < 8; second++) {
            bench.time.stepWallClock(Duration.ofMillis(90));
            bench.pass(Duration.ofSeconds(1));
        }

        assertThat(bench.locks.runDueSteps()).isLessThan(Duration.ofMillis(1_500));
    }

    private void sleepUnderWatch() {
        bench.time.suspend(Duration.ofSeconds(17));
        bench.locks.runDueSteps();
    }

    private void assertThatSleepLeadsToARenewal(Lease lease, int renewals) {
        bench.time.suspend(Duration.ofSeconds(20));
        bench.locks.runDueSteps();
        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(renewals);
        assertThat(lease.remaining()).isEqualTo(FULL);
    }
}
