package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LossReason;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** L3: an extension by the holder moves the end and the ttl of renewals, and never shortens a lease. */
class ExtensionTest {

    private static final Duration THIRD = TTL.dividedBy(3);
    private static final Duration FULL = TTL.minus(MARGIN);

    private final Bench bench = Bench.polling();

    private final Lease lease = bench.acquire();

    @Test
    void movesTheEndAndTheTtlOfRenewals() {
        bench.time.advance(Duration.ofSeconds(4));

        lease.extend(Duration.ofMinutes(1));

        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(57));
        assertThat(bench.remainingInStore()).isEqualTo(Duration.ofMinutes(1));
        assertThat(bench.locks.runDueSteps()).isEqualTo(Duration.ofSeconds(20));
        bench.pass(Duration.ofSeconds(20));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(57));
    }

    @Test
    void neverShortensTheLeaseButRenewalsUseTheShorterTtl() {
        lease.extend(Duration.ofSeconds(3));

        assertThat(lease.remaining()).isEqualTo(FULL);
        assertThat(bench.remainingInStore()).isEqualTo(TTL);
        assertThat(bench.locks.runDueSteps()).isEqualTo(Duration.ofSeconds(1));
        for (int i = 0; i < 40; i++) {
            bench.pass(Duration.ofSeconds(1));
        }
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(2850));
        assertThat(bench.remainingInStore()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void isNotUndoneByAShorterOneThatArrivesAfterIt() {
        bench.faults.next(BackendOperation.EXTEND, Fault.lostRequest());
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lease.extend(Duration.ofSeconds(4)));
        lease.extend(TTL);

        bench.stranger.extend(lease.key(), lease.grant().lockId(), Duration.ofSeconds(4)); // it was only late

        assertThat(lease.remaining()).isEqualTo(FULL).isLessThan(bench.remainingInStore());
    }

    @Test
    void keepsTheTokenAndTheGrant() {
        var grant = lease.grant();

        lease.extend(Duration.ofMinutes(1));

        assertThat(lease.grant()).isEqualTo(grant);
        assertThat(bench.stranger.lookup(lease.key()).orElseThrow().token()).isEqualTo(lease.token());
    }

    @Test
    void takesHalfOfATtlThatIsShorterThanTheMargin() {
        Lease other = bench.locks
                .tryAcquire("another key", OPTIONS.withoutRenewal().withSafetyMargin(Duration.ofSeconds(10)))
                .orElseThrow();

        bench.pass(Duration.ofSeconds(18));

        other.extend(Duration.ofSeconds(6));

        assertThat(other.remaining()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void leavesTheDeadlineAsItIsIfItsReplyIsLost() {
        bench.faults.next(BackendOperation.EXTEND, Fault.lostReply());

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> lease.extend(Duration.ofSeconds(2)))
                .satisfies(e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));

        assertThat(lease.remaining()).isEqualTo(FULL).isLessThan(bench.remainingInStore());
    }

    @Test
    void doesNotProlongTheDeadlineIfItsReplyIsLost() {
        bench.faults.next(BackendOperation.EXTEND, Fault.lostReply());

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lease.extend(Duration.ofHours(1)));

        assertThat(lease.remaining()).isEqualTo(FULL);
        assertThat(bench.locks.runDueSteps()).isEqualTo(THIRD);
    }

    @Test
    void changesNothingIfTheStoreDidNothing() {
        bench.faults.next(BackendOperation.EXTEND, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lease.extend(Duration.ofSeconds(2)));

        assertThat(lease.remaining()).isEqualTo(FULL);
    }

    @Test
    void losesALeaseThatTheStoreNoLongerHas() {
        bench.stranger.forceRelease(lease.key(), Holder.of("an operator"));

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> lease.extend(TTL))
                .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.REFUSED_BY_BACKEND));

        assertThat(lease.lost().toCompletableFuture()).isCompleted();
    }

    @Test
    void isRefusedAfterTheReleaseWithoutAskingTheBackend() {
        lease.release();

        assertThatIllegalStateException().isThrownBy(() -> lease.extend(TTL)).withMessageContaining("released");

        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();
    }

    @Test
    void isRefusedAfterTheDeadlineWithoutAskingTheBackend() {
        bench.time.advance(FULL);

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> lease.extend(TTL));

        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();
        assertThat(bench.isFree())
                .as("still taken in the store, until its own end")
                .isFalse();
    }

    @Test
    void checksTheTtlFirst() {
        assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ofSeconds(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ofDays(366)));

        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();
        assertThat(lease.remaining()).isEqualTo(FULL);
    }

    @Test
    void worksWithoutRenewal() {
        Lease other =
                bench.locks.tryAcquire("another key", OPTIONS.withoutRenewal()).orElseThrow();
        bench.pass(Duration.ofSeconds(20));

        other.extend(TTL);

        bench.pass(FULL.minusNanos(1));
        assertThat(other.isHeld()).isTrue();
        bench.pass(Duration.ofNanos(1));
        assertThat(other.lost().toCompletableFuture()).isCompleted();
    }
}
