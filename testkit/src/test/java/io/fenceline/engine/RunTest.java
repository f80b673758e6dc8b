package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** L2 and L4, for work that is handed to {@link Locks#run} or {@link Locks#call}: it is either done under the lock from end to end, or says so. */
class RunTest {

    private final Bench bench = Bench.polling();
    private final List<FenceStamp> failedReleases = new ArrayList<>();
    private final Locks locks = bench.builder()
            .withoutThread()
            .onReleaseError((stamp, error) -> failedReleases.add(stamp))
            .build();

    @Test
    void givesTheBodyItsLease() throws Exception {
        locks.run(NAME, lease -> {
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.key()).isEqualTo(KEY);
            assertThat(lease.token().value()).isOne();
            assertThat(bench.isFree()).isFalse();
        });

        assertThat(bench.isFree()).isTrue();
        assertThat(bench.askedAtAll()).isEqualTo(2);
    }

    @Test
    void takesWorkWithoutAResult() throws InterruptedException {
        List<String> log = new ArrayList<>();

        locks.run(NAME, lease -> {
            log.add("done under " + lease.key());
        });

        assertThat(log).containsExactly("done under " + NAME);
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void returnsWhatTheBodyReturns() throws Exception {
        assertThat(locks.<String, RuntimeException>call(NAME, lease -> "done")).isEqualTo("done");
        assertThat(locks.<Integer, RuntimeException>call(NAME, lease -> 42)).isEqualTo(42);
        assertThat(locks.<Object, RuntimeException>call(NAME, lease -> null)).isNull();
    }

    @Test
    void throwsWhatTheBodyThrowsAndReleases() {
        IOException failure = new IOException("disk full");

        assertThatThrownBy(() -> locks.run(NAME, lease -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .satisfies(e -> assertThat(e.getSuppressed()).isEmpty());

        assertThat(bench.isFree()).isTrue();
        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void releasesIfTheBodyFailsWithAnError() {
        assertThatThrownBy(() -> locks.run(NAME, lease -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);

        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void doesNotRunTheBodyIfTheLockIsTaken() {
        bench.takenByStranger(TTL);

        assertThatExceptionOfType(LockTimeoutException.class)
                .isThrownBy(() -> locks.run(NAME, OPTIONS.withMaxWait(Duration.ZERO), lease -> {
                    throw new AssertionError("the body ran");
                }));
    }

    @Test
    void mayFindItsLeaseReleasedByTheBody() throws Exception {
        String result = locks.call(NAME, lease -> {
            lease.close();
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void saysIfTheLeaseWasLostMeanwhile() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> locks.call(NAME, OPTIONS.withoutRenewal(), lease -> {
                    bench.time.advance(TTL.minusSeconds(1));
                    return "too late";
                }))
                .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.DEADLINE_PASSED));

        assertThat(bench.isFree()).as("released all the same").isTrue();
        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    /** The work ended in time; a store that stood still then has no lease to release any more. */
    @Test
    void returnsTheResultThoughTheReleaseTookLongerThanTheLease() throws Exception {
        bench.faults.next(BackendOperation.RELEASE, Fault.none().withDelayBefore(TTL));
        Background<String> work =
                Background.start(() -> locks.call(NAME, OPTIONS.withoutRenewal(), lease -> "in time"));
        bench.time.awaitParked(1);
        bench.time.advance(TTL);

        assertThat(work.result()).isEqualTo("in time");
        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void saysIfTheLeaseWasReleasedByForceMeanwhile() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> locks.call(NAME, lease -> {
                    bench.stranger.forceRelease(KEY, Holder.of("an operator"));
                    return "in vain";
                }))
                .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.REFUSED_BY_BACKEND));

        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void saysSoAlsoIfTheLeaseWasExtendedBeyondItsFirstEnd() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> locks.call(NAME, OPTIONS.withoutRenewal(), lease -> {
                    bench.time.advance(TTL.dividedBy(2));
                    lease.extend(TTL);
                    bench.time.advance(TTL.multipliedBy(3).dividedBy(4));
                    bench.stranger.forceRelease(KEY, Holder.of("an operator"));
                    return "in vain";
                }))
                .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.REFUSED_BY_BACKEND));
    }

    @Test
    void leavesAStrangersLockAlone() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> locks.call(NAME, OPTIONS.withoutRenewal(), lease -> {
                    bench.time.advance(TTL);
                    bench.takenByStranger(TTL);
                    return "too late";
                }));

        assertThat(bench.isFree()).isFalse();
    }

    @Test
    void prefersTheBodysOwnFailureToTheLoss() {
        assertThatThrownBy(() -> locks.run(NAME, OPTIONS.withoutRenewal(), lease -> {
                    bench.time.advance(TTL);
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void returnsTheResultThoughTheReleaseFails() throws Exception {
        bench.faults.always(BackendOperation.RELEASE, Fault.lostRequest());

        assertThat(locks.<String, RuntimeException>call(NAME, lease -> "done")).isEqualTo("done");

        assertThat(failedReleases).as("told once").hasSize(1);
        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void throwsTheBodysFailureThoughTheReleaseFails() {
        bench.faults.always(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatThrownBy(() -> locks.run(NAME, lease -> {
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class);

        assertThat(failedReleases).as("told once").hasSize(1);
    }

    @Test
    void releasesAfterABodyThatWasInterrupted() {
        bench.events.before(
                BackendOperation.RELEASE,
                () -> assertThat(Thread.currentThread().isInterrupted()).isFalse());

        assertThatThrownBy(() -> locks.run(NAME, lease -> {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted");
                }))
                .isInstanceOf(IOException.class);

        assertThat(Thread.interrupted()).as("interrupt status kept").isTrue();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void canBeNested() throws Exception {
        String result = locks.call(
                "outer",
                outer -> locks.call("inner", inner -> {
                    assertThat(outer.isHeld()).isTrue();
                    return outer.key() + " " + inner.key();
                }));

        assertThat(result).isEqualTo("outer inner");
        assertThat(bench.askedAtAll()).isEqualTo(4);
    }

    @Test
    void letsASecondBodyStartOnlyAfterTheFirst() throws Exception {
        List<String> log = new ArrayList<>();
        Background<Object> second = locks.call(NAME, lease -> {
            Background<Object> waiter = Background.start(() -> locks.call(NAME, own -> log.add("second")));
            bench.time.awaitParked(1);
            log.add("first");
            return waiter;
        });
        second.result();

        assertThat(log).containsExactly("first", "second");
    }

    @Test
    void renewsWhileTheBodyRuns() throws Exception {
        Boolean held = locks.call(NAME, lease -> {
            for (int i = 0; i < 9; i++) {
                bench.time.advance(TTL.dividedBy(3));
                locks.runDueSteps();
            }
            return lease.isHeld();
        });

        assertThat(held).isTrue();
        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(9);
    }

    @Test
    void handsOnTheLeaseThatTheBodyExtended() throws Exception {
        Lease extended = locks.call(NAME, OPTIONS.withoutRenewal(), lease -> {
            lease.extend(Duration.ofMinutes(2));
            bench.time.advance(Duration.ofMinutes(1));
            return lease;
        });

        assertThat(extended.isHeld()).isFalse();
        assertThat(bench.isFree()).isTrue();
    }
}
