package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LocksBuilder;
import io.fenceline.ReleaseOutcome;
import io.fenceline.election.Election;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L6: a process passes a contended lock on among its threads without asking the store, each with its own token. */
class CohortTest {

    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofHours(1));
    private static final Duration SOME_TIME = Duration.ofSeconds(2);
    private static final Duration TURN = LocksBuilder.LONGEST_TURN;

    private final Bench bench = Bench.signalling();

    /** Locks whose turns last long enough for the clock to be moved within one. */
    private final Locks locks =
            bench.builder().longestTurn(Duration.ofHours(1)).withoutThread().build();

    private Background<Lease> waiter(LockOptions options) throws Exception {
        return waiter(locks, NAME, options, 1);
    }

    private Background<Lease> waiter(Locks from, String name, LockOptions options, int parked) throws Exception {
        Background<Lease> waiter = Background.start(() -> from.acquire(name, options));
        bench.time.awaitParked(parked);
        return waiter;
    }

    /** The first lease of a block; nobody waits behind it yet. */
    private Lease firstOfABlock() throws Exception {
        Lease before = locks.acquire(NAME);
        Background<Lease> first = waiter(PATIENT);
        before.close();
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
        return first.result();
    }

    private void assertAskedNothingMore() {
        assertThat(bench.askedAtAll()).as("an acquire and a succession").isEqualTo(2);
    }

    private void assertAskedTheStore() {
        assertThat(bench.asked(BackendOperation.SUCCEED)).isEqualTo(2);
    }

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

    @Nested
    class EndsATurn {

        @Test
        void afterThirtyTwoGrants() throws Exception {
            Lease lease = firstOfABlock();
            for (int i = 1; i < 32; i++) {
                Background<Lease> next = waiter(PATIENT);
                lease.close();
                lease = next.result();
            }
            assertAskedNothingMore();

            Background<Lease> next = waiter(PATIENT);
            Background<Lease> theirs = waiter(bench.locks, NAME, PATIENT, 2);
            lease.close();

            Lease foreign = theirs.result();
            assertThat(foreign.token().value()).isEqualTo(lease.token().value() + 1);
            foreign.close();
            assertThat(next.result().token()).isGreaterThan(foreign.token());
        }

        @Test
        void afterTenMilliseconds() throws Exception {
            Lease before = bench.acquire();
            Background<Lease> waiter = waiter(bench.locks, NAME, PATIENT, 1);
            before.close();
            Lease lease = waiter.result();
            waiter = waiter(bench.locks, NAME, PATIENT, 1);
            bench.time.advance(TURN.minusNanos(1));
            lease.close();
            lease = waiter.result();
            assertAskedNothingMore();

            waiter = waiter(bench.locks, NAME, PATIENT, 1);
            bench.time.advance(Duration.ofNanos(1));
            lease.close();

            assertThat(waiter.result().isHeld()).isTrue();
            assertAskedTheStore();
        }

        @Test
        void andLetsWaitersOfOtherProcessesGoFirst() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> ours = waiter(bench.locks, NAME, PATIENT, 1);
            Background<Lease> theirs = waiter(locks, NAME, PATIENT, 2);
            lease.close();
            Lease second = ours.result();
            Background<Lease> third = waiter(bench.locks, NAME, PATIENT, 2);

            bench.time.advance(TURN);
            second.close();

            Lease foreign = theirs.result();
            assertThat(foreign.token()).isGreaterThan(second.token());
            foreign.close();
            assertThat(third.result().token()).isGreaterThan(foreign.token());
        }

        /** A grant that was handed over counts from a refusal that is no older than this. */
        @Test
        void whenAThirdOfTheTtlIsOver() throws Exception {
            Lease lease = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);
            bench.time.advance(TTL.dividedBy(3));

            lease.close();

            assertThat(next.result().remaining()).isEqualTo(TTL.minus(MARGIN));
            assertAskedTheStore();
        }

        @Test
        void withTheLastOneInLine() throws Exception {
            firstOfABlock().close();

            assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
            assertThat(bench.isFree()).isTrue();
        }
    }

    @Nested
    class GoesBackToTheStore {

        @Test
        void forAWaiterWithAnotherTtl() throws Exception {
            assertAsksFor(PATIENT.withTtl(TTL.plusSeconds(1)));
        }

        /** Otherwise others would wait for longer than its ttl if it dies. */
        @Test
        void forAWaiterWithAShorterTtl() throws Exception {
            assertAsksFor(PATIENT.withTtl(TTL.minusSeconds(1)));
        }

        @Test
        void forAnotherHolder() throws Exception {
            assertAsksFor(PATIENT.withHolder(Holder.of("another")));
        }

        @Test
        void forAWaiterWhoseMarginLeavesNoTime() throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(PATIENT.withSafetyMargin(TTL.minus(SOME_TIME)));
            bench.time.advance(SOME_TIME);

            first.close();

            assertThat(next.result().remaining()).isEqualTo(SOME_TIME);
            assertAskedTheStore();
        }

        @Test
        void forAMachineThatSleptMeanwhile() throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);
            bench.time.suspend(TTL.minus(MARGIN));

            first.close(); // the ticker did not notice

            assertThat(next.result().remaining()).isEqualTo(TTL.minus(MARGIN));
            assertAskedTheStore();
        }

        private void assertAsksFor(LockOptions options) throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(options);

            first.close();

            Lease lease = next.result();
            assertThat(lease.remaining()).isEqualTo(options.ttl().minus(options.marginOf(options.ttl())));
            assertThat(lease.grant().holder()).isEqualTo(options.holder());
            assertThat(bench.remainingInStore()).isEqualTo(options.ttl());
            assertAskedTheStore();
        }

        @Test
        void afterAnExtension() throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);
            first.extend(TTL.multipliedBy(100));

            first.close();

            next.result();
            assertAskedTheStore();
            assertThat(bench.remainingInStore()).isEqualTo(TTL);
        }

        @Test
        void afterAnExtensionThatFailed() throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);
            bench.faults.next(BackendOperation.EXTEND, Fault.lostRequest());
            bench.time.advance(TTL.dividedBy(3).minusNanos(1));
            assertThat(Background.start(() -> {
                                first.extend(TTL);
                                return "";
                            })
                            .failure())
                    .isNotNull();

            first.close();

            next.result();
            assertAskedTheStore();
        }

        @Test
        void duringAnExtension() throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);
            bench.events.before(BackendOperation.EXTEND, first::close);

            assertThat(Background.start(() -> {
                                first.extend(TTL.multipliedBy(100));
                                return "";
                            })
                            .failure())
                    .isInstanceOf(IllegalStateException.class);

            next.result();
            assertAskedTheStore();
            assertThat(bench.remainingInStore()).isEqualTo(TTL);
        }

        @Test
        void withARest() throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);

            first.releaseAfter(SOME_TIME);

            bench.time.awaitParked(1);
            assertThat(bench.remainingInStore()).isEqualTo(SOME_TIME);
            bench.time.advance(SOME_TIME);
            assertThat(next.result().token()).isGreaterThan(first.token());
        }

        @Test
        void withTheRestOfAMinimumHold() throws Exception {
            Lease before = locks.acquire(NAME);
            Background<Lease> first = waiter(PATIENT.withMinHold(SOME_TIME));
            before.close();
            Lease lease = first.result();
            Background<Lease> next = waiter(PATIENT);

            lease.close();

            bench.time.awaitParked(1);
            assertThat(bench.asked(BackendOperation.RELEASE_AFTER)).isOne();
            bench.time.advance(SOME_TIME);
            assertThat(next.result().token()).isGreaterThan(lease.token());
        }

        @Test
        void afterALoss() throws Exception {
            Lease first = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);
            bench.time.advance(TTL);
            assertThat(first.isHeld()).isFalse();

            Lease second = next.result();
            first.close();

            assertThat(second.grant().lockId()).isNotEqualTo(first.grant().lockId());
            assertThat(bench.isFree()).as("the next one's lock").isFalse();
        }
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
