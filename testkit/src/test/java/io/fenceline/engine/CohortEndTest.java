package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L6: a process that passes a lock on among its threads goes back to the store when its turn ends, and when it has to ask. */
class CohortEndTest extends CohortCase {

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

            lease = waiter.result();
            assertAskedTheStore();
            waiter = waiter(bench.locks, NAME, PATIENT, 1);
            lease.close();
            assertThat(waiter.result().isHeld())
                    .as("passed on in the next turn")
                    .isTrue();
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
        void whenAThirdOfTheTtlIsOverByTheWallClock() throws Exception {
            Lease lease = firstOfABlock();
            Background<Lease> next = waiter(PATIENT);
            bench.time.suspend(TTL.dividedBy(3));

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
}
