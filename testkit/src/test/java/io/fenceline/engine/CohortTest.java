package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.ReleaseOutcome;
import io.fenceline.election.Election;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** L6: a process passes a contended lock on among its threads without asking the store, each with its own token. */
class CohortTest extends CohortCase {

    @Test
    void asksTheStoreOnceForManyGrants() throws Exception {
        Lease lease = locks.acquire(NAME);
        List<Background<Long>> line = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            line.add(Background.start(() -> {
                try (Lease mine = locks.acquire(NAME, PATIENT)) {
                    return mine.token().value();
                }
            }));
            bench.time.awaitParked(i + 1);
        }

        lease.close();

        for (int i = 0; i < 20; i++) {
            assertThat(line.get(i).result()).isEqualTo(2 + i);
        }
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
        assertThat(bench.asked(BackendOperation.RELEASE)).as("of the last one").isOne();
        assertThat(bench.askedAtAll()).isEqualTo(3);
        assertThat(bench.isFree()).isTrue();
        assertThat(locks.acquire(NAME).token().value()).as("above the block").isEqualTo(2 + 21);
    }

    @Test
    void givesEachLeaseAGrantOfOneTokenUnderTheLockIdOfTheBlock() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT);
        first.close();
        Lease second = next.result();

        assertThat(first.grant().tokens()).isOne();
        assertThat(second.grant().tokens()).isOne();
        assertThat(second.token().value()).isEqualTo(first.token().value() + 1);
        assertThat(second.grant().lockId()).isEqualTo(first.grant().lockId());
        assertThat(bench.stranger.lookup(KEY)).hasValueSatisfying(record -> {
            assertThat(record.raw().lockId()).isEqualTo(first.grant().lockId());
            assertThat(record.token()).isEqualTo(first.token());
            assertThat(record.raw().tokens()).isEqualTo(32);
        });
    }

    @Test
    void asksForAsManyTokensAsGiveEverybodyInLineTheSameNumber() throws Exception {
        Lease lease = locks.acquire(NAME);
        for (int i = 1; i <= 4; i++) {
            waiter(locks, NAME, PATIENT, i);
        }

        lease.close();

        List<AcquireRequest> requests = bench.events.requests();
        assertThat(requests)
                .extracting(AcquireRequest::tokens)
                .as("five take turns")
                .containsExactly(1, 30);
    }

    @Test
    void asksForABlockAlsoInItsOwnName() throws Exception {
        bench.takenByStranger(SOME_TIME);
        Background<Lease> first = waiter(PATIENT);
        Background<Lease> second = waiter(locks, NAME, PATIENT, 2);
        bench.time.advance(SOME_TIME);

        Lease lease = first.result();
        lease.close();

        assertThat(second.result().grant().lockId()).isEqualTo(lease.grant().lockId());
        assertThat(bench.asked(BackendOperation.SUCCEED)).isZero();
    }

    @Test
    void countsEachDeadlineFromTheRequestForTheBlock() throws Exception {
        Lease before = locks.acquire(NAME);
        Background<Lease> first = waiter(PATIENT);
        bench.events.after(BackendOperation.SUCCEED, () -> bench.time.advance(SOME_TIME));
        before.close();
        Lease lease = first.result();
        Background<Lease> next = waiter(PATIENT.withSafetyMargin(Duration.ofSeconds(5)));
        bench.time.advance(SOME_TIME);
        lease.close();

        assertThat(next.result().remaining())
                .isEqualTo(TTL.minusSeconds(5).minus(SOME_TIME).minus(SOME_TIME));
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
    }

    @Test
    void isRenewedByWhoeverHoldsIt() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT);
        first.close();
        Lease second = next.result();

        bench.time.advance(TTL.dividedBy(3));
        locks.runDueSteps();

        assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
        assertThat(second.remaining()).isEqualTo(TTL.minus(MARGIN));
        assertThat(bench.remainingInStore()).isEqualTo(TTL);
    }

    @Test
    void passesOnWhatARepeatedRequestGotAfterALostReply() throws Exception {
        Lease before = locks.acquire(NAME);
        Background<Lease> first = waiter(PATIENT);
        bench.faults.next(BackendOperation.SUCCEED, Fault.lostReply());
        before.close();
        Lease lease = first.result();
        Background<Lease> next = waiter(PATIENT);

        lease.close();

        assertThat(next.result().token().value()).isEqualTo(lease.token().value() + 1);
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
    }

    @Test
    void passesOnToAnAsynchronousCaller() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next =
                Background.start(() -> locks.acquireAsync(NAME, PATIENT).get());
        bench.time.awaitParked(1);

        first.close();

        assertThat(next.result().token().value()).isEqualTo(first.token().value() + 1);
        assertAskedNothingMore();
    }

    @Test
    void tellsListenersOfEachGrantAndOfEachRelease() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT);
        bench.heard.clear();

        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Lease second = next.result();
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(bench.heard)
                .containsExactlyInAnyOrder(
                        new LockEvent.Released(first.stamp(), ReleaseOutcome.RELEASED, Duration.ZERO, true),
                        new LockEvent.Acquired(second.stamp(), Holder.of("us"), Duration.ZERO, 1),
                        new LockEvent.Released(second.stamp(), ReleaseOutcome.RELEASED, Duration.ZERO, false));
    }

    @Test
    void isNotThereWithoutCohorts() throws Exception {
        try (Locks asking = bench.builder().withoutCohorts().withoutThread().build()) {
            Lease lease = asking.acquire(NAME);
            for (int i = 0; i < 3; i++) {
                Background<Lease> next = waiter(asking, NAME, PATIENT, 1);
                lease.close();
                lease = next.result();
            }

            assertThat(bench.asked(BackendOperation.SUCCEED)).isEqualTo(3);
            assertThat(bench.events.requests()).allMatch(request -> request.tokens() == 1);
        }
    }

    /** A term's token is that of the record at the store, so that everybody can look it up. */
    @Test
    void isNotThereForElections() throws Exception {
        String group = Election.keyOf("reports").value();
        Lease lease = locks.acquire(group);
        for (int i = 0; i < 3; i++) {
            Background<Lease> next = waiter(locks, group, PATIENT, 1);
            lease.close();
            lease = next.result();
        }

        assertThat(bench.asked(BackendOperation.SUCCEED)).isEqualTo(3);
        assertThat(locks.lookup(group).orElseThrow().token()).isEqualTo(lease.token());
    }

    /** What a forced release ended is noticed where the store is asked: at the end of the turn. */
    @Test
    void learnsOnlyAtItsEndThatTheStoreHasLostTheLock() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT);
        bench.stranger.forceRelease(KEY, Holder.of("operator"));
        long operators = bench.takenByStranger(TTL).token().value();

        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Lease second = next.result();

        assertThat(second.token().value()).isLessThan(operators);
        assertThat(second.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);
        assertThat(bench.isFree()).as("the other's lock").isFalse();
    }

    @Test
    void leavesALateCloseWithoutEffect() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT);
        first.close();
        Lease second = next.result();

        first.close();
        assertThat(first.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
        assertThat(first.releaseAfter(SOME_TIME)).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);

        assertThat(second.isHeld()).isTrue();
        assertThat(bench.isFree()).isFalse();
        assertAskedNothingMore();
    }

    @Test
    void keepsTheLockInTheStoreWhenTheLocksAreClosed() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT);

        locks.close();

        assertThat(next.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(bench.isFree()).isFalse();
        first.close();
        assertThat(bench.isFree()).isTrue();
    }
}
