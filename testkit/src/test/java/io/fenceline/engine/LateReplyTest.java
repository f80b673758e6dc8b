package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockOptions;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code acquire} does with a grant whose time is over, or half over, when its reply comes. */
@Tag("L1")
class LateReplyTest {

    private static final Duration NANO = Duration.ofNanos(1);
    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofMinutes(2));

    private final Bench bench = Bench.polling();

    @Test
    void makesNoLeaseAndAsksAgainUnderAnotherId() throws Exception {
        bench.events.after(BackendOperation.ACQUIRE, () -> bench.time.advance(TTL.minus(MARGIN)));
        Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
        bench.time.awaitParked(1);
        assertThat(bench.isFree()).isTrue();
        bench.time.advance(bench.nextWake());
        Lease lease = waiter.result();

        assertThat(lease.token().value()).isEqualTo(2);
        assertThat(lease.remaining())
                .as("counted from when the first id was given up")
                .isEqualTo(TTL.minus(MARGIN).minusMillis(100));
        List<LockId> ids =
                bench.events.requests().stream().map(AcquireRequest::lockId).toList();
        assertThat(ids).hasSize(2).doesNotHaveDuplicates();
    }

    /** The lock was free: who is told that it was taken looks for a holder, and not for a slow store. */
    @Test
    void isAFailureOfTheStoreForACallerThatDoesNotWait() {
        bench.events.after(BackendOperation.ACQUIRE, () -> bench.time.advance(TTL.minus(MARGIN)));

        assertFails(() -> bench.locks.tryAcquire(NAME, OPTIONS));
    }

    @Test
    void isAFailureOfTheStoreWhenTheWaitEnds() {
        bench.events.after(BackendOperation.ACQUIRE, () -> bench.time.advance(TTL.plus(LockOptions.WAIT_SLACK)));

        assertFails(() -> bench.locks.acquire(NAME, OPTIONS.withMaxWait(TTL)));
    }

    private void assertFails(ThrowingCallable acquisition) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(acquisition)
                .withMessageContaining("so late")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT));
        bench.locks.runDueSteps();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void isALeaseAMomentBefore() {
        bench.events.after(
                BackendOperation.ACQUIRE,
                () -> bench.time.advance(TTL.minus(MARGIN).minus(NANO)));

        assertThat(bench.acquire().remaining()).isEqualTo(NANO);
    }

    @Test
    void makesNoLeaseEitherIfTheMachineSleptMeanwhile() {
        bench.events.after(BackendOperation.ACQUIRE, () -> bench.time.suspend(TTL));

        assertFails(() -> bench.locks.tryAcquire(NAME, OPTIONS));
    }

    @Test
    void makesNoLeaseOfARepeatedRequestEither() throws Exception {
        Background<Lease> waiter = retryAfterALostReply(Duration.ofSeconds(29));
        bench.time.awaitParked(1);
        bench.time.advance(bench.nextWake());

        assertThat(waiter.result().token().value()).isEqualTo(2);
    }

    /** With little time left, a lease can be lost before its first renewal, under a body that has just begun. */
    @Test
    void makesNoLeaseOfARepeatedRequestWhoseGrantIsHalfOver() throws Exception {
        Background<Lease> waiter = retryAfterALostReply(Duration.ofMillis(14_150));
        bench.time.awaitParked(1);
        assertThat(bench.isFree()).isTrue();
        bench.time.advance(bench.nextWake());
        Lease lease = waiter.result();

        assertThat(lease.token().value()).isEqualTo(2);
        assertThat(lease.remaining()).isGreaterThan(TTL.minus(MARGIN).minusSeconds(1));
    }

    @Test
    void isALeaseOfARepeatedRequestWhoseGrantIsNotYetHalfOver() throws Exception {
        Lease lease = retryAfterALostReply(Duration.ofMillis(14_149)).result();

        assertThat(lease.token().value()).isOne();
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(14_251));
    }

    private Background<Lease> retryAfterALostReply(Duration delay) {
        bench.faults.next(BackendOperation.ACQUIRE, Fault.lostReply().withDelayAfter(delay));
        Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
        bench.time.awaitParked(1);
        bench.time.advance(delay);
        bench.time.awaitParked(1);
        bench.time.advance(Duration.ofMillis(100));
        return waiter;
    }
}
