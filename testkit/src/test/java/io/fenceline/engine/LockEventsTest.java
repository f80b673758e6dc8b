package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.ReleaseOutcome;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.NoGrant;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Listeners are told what happens to locks and leases, in order, and cannot touch it. */
class LockEventsTest {

    private final Bench bench = Bench.polling();

    @Test
    void tellTheLifeOfALease() {
        Lease lease = bench.acquire();
        bench.pass(TTL.dividedBy(3));
        lease.extend(Duration.ofMinutes(1));
        lease.release();
        lease.release();

        assertThat(bench.heard)
                .containsExactly(
                        new LockEvent.Acquired(lease.stamp(), Holder.of("us"), Duration.ZERO, 1),
                        new LockEvent.Extended(lease.stamp(), TTL),
                        new LockEvent.Renewed(lease.stamp(), TTL, Duration.ZERO),
                        new LockEvent.Extended(lease.stamp(), Duration.ofMinutes(1)),
                        new LockEvent.Released(lease.stamp(), ReleaseOutcome.RELEASED, Duration.ZERO, false));
    }

    @Test
    void tellTheEndOfALostLease() {
        Lease lease = bench.acquire(OPTIONS.withoutRenewal());
        bench.pass(TTL);
        lease.close();

        assertThat(bench.heard)
                .endsWith(
                        new LockEvent.Lost(lease.stamp(), LossReason.DEADLINE_PASSED),
                        new LockEvent.Released(lease.stamp(), ReleaseOutcome.ALREADY_ENDED, Duration.ZERO, false));
    }

    @Test
    void tellHowLongAndHowOftenWasAsked() throws Exception {
        bench.takenByStranger(Duration.ofMillis(650));
        Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME));
        for (int i = 0; i < 3; i++) {
            bench.time.awaitParked(1);
            bench.time.advance(bench.nextWake());
        }
        Lease lease = waiter.result();

        assertThat(bench.heard)
                .containsExactly(
                        new LockEvent.Acquired(lease.stamp(), Holder.of("us"), Duration.ofNanos(662_500_000), 4));
    }

    @Test
    void tellAWaitThatWasInterrupted() throws Exception {
        bench.takenByStranger(TTL);
        Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME));
        bench.time.awaitParked(1);
        waiter.interrupt();
        waiter.failure();

        assertThat(bench.heard).containsExactly(new LockEvent.NotAcquired(KEY, NoGrant.INTERRUPTED, Duration.ZERO, 1));
    }

    @Test
    void tellAWaitInLineThatWasInterrupted() throws Exception {
        bench.acquire();
        bench.heard.clear();
        Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME));
        bench.time.awaitParked(1);
        bench.time.advance(Duration.ofSeconds(2));
        waiter.interrupt();
        waiter.failure();

        assertThat(bench.heard)
                .containsExactly(new LockEvent.NotAcquired(KEY, NoGrant.INTERRUPTED, Duration.ofSeconds(2), 0));
    }

    @Test
    void tellOfAReleaseThatWasNotAnsweredThatItFailed() {
        Lease lease = bench.acquire();
        bench.faults.next(BackendOperation.RELEASE, Fault.lostReply());
        lease.close();

        assertThat(bench.heard).noneMatch(LockEvent.Released.class::isInstance);
        assertThat(bench.heard)
                .last()
                .isInstanceOfSatisfying(
                        LockEvent.ReleaseFailed.class,
                        failed -> assertThat(failed.stamp()).isEqualTo(lease.stamp()));
    }

    @Test
    void tellThatALockIsWantedBeforeTheyTellWhatCameOfIt() {
        List<LockEvent> all = new ArrayList<>();
        Locks locks = bench.builder().withoutThread().listener(all::add).build();

        Lease lease = locks.tryAcquire(NAME).orElseThrow();
        locks.tryAcquire(NAME);

        assertThat(all)
                .containsExactly(
                        new LockEvent.AcquireBegun(KEY),
                        new LockEvent.Acquired(lease.stamp(), Holder.of("us"), Duration.ZERO, 1),
                        new LockEvent.AcquireBegun(KEY),
                        new LockEvent.NotAcquired(KEY, NoGrant.TAKEN, Duration.ZERO, 0));
    }

    @Test
    void tellWhyABackendThatFailsGrantsNothing() {
        bench.faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());

        assertThatThrownBy(() -> bench.locks.tryAcquire(NAME)).isInstanceOf(BackendException.class);

        assertThat(bench.heard).containsExactly(new LockEvent.NotAcquired(KEY, NoGrant.FAILED, Duration.ZERO, 1));
    }

    @Test
    void tellTheBeginAndTheEndOfABody() throws Exception {
        IllegalStateException failure = new IllegalStateException("the body failed");

        FenceStamp first = bench.locks.call(NAME, Lease::stamp);
        assertThatThrownBy(() -> bench.locks.run(NAME, lease -> {
                    throw failure;
                }))
                .isSameAs(failure);

        FenceStamp second = new FenceStamp(KEY, FencingToken.of(first.token().value() + 1));
        assertThat(bench.heard)
                .filteredOn(event -> event instanceof LockEvent.BodyBegun || event instanceof LockEvent.BodyEnded)
                .containsExactly(
                        new LockEvent.BodyBegun(first),
                        new LockEvent.BodyEnded(first, null),
                        new LockEvent.BodyBegun(second),
                        new LockEvent.BodyEnded(second, failure));
    }

    @Test
    void tellHowLateARenewalCameWithAllItsFailures() {
        Lease lease = bench.acquire();
        bench.faults.next(BackendOperation.EXTEND, Fault.lostRequest());
        bench.pass(TTL.dividedBy(3));
        bench.pass(bench.locks.runDueSteps());

        assertThat(bench.heard).anyMatch(LockEvent.RenewalFailed.class::isInstance);
        assertThat(bench.heard).last().isInstanceOfSatisfying(LockEvent.Renewed.class, renewed -> {
            assertThat(renewed.stamp()).isEqualTo(lease.stamp());
            assertThat(renewed.late()).isPositive().isLessThan(TTL.dividedBy(3));
        });
    }

    @Nested
    class OfATokenNearItsLimit {

        @Test
        void comeWithEveryGrantAboveTheWarning() {
            bench.stranger.raiseToken(KEY, FencingToken.of(FencingToken.WARNING_VALUE), Holder.of("an operator"));

            Lease first = bench.acquire();
            first.close();
            Lease second = bench.acquire();

            assertThat(bench.heard)
                    .filteredOn(LockEvent.TokenNearLimit.class::isInstance)
                    .containsExactly(
                            new LockEvent.TokenNearLimit(first.stamp()), new LockEvent.TokenNearLimit(second.stamp()));
        }

        @Test
        void doNotComeAtTheWarningItself() {
            bench.stranger.raiseToken(KEY, FencingToken.of(FencingToken.WARNING_VALUE - 1), Holder.of("an operator"));

            bench.acquire();

            assertThat(bench.heard).noneMatch(LockEvent.TokenNearLimit.class::isInstance);
        }
    }

    static LockListener[] failingListeners() {
        return new LockListener[] {
            event -> {
                throw new IllegalStateException("a listener failed");
            },
            event -> {
                throw new NoClassDefFoundError("metrics");
            },
            event -> Undeclared.thrown(new IOException("from Kotlin"))
        };
    }

    @ParameterizedTest
    @MethodSource("failingListeners")
    void cannotDisturbWhatTheyTell(LockListener failing) throws Exception {
        Locks locks = bench.builder().withoutThread().listener(failing).build();
        LockOptions noWait = OPTIONS.withMaxWait(Duration.ZERO);

        Lease lease = locks.acquire(NAME);
        assertThat(locks.tryAcquire(NAME, noWait)).isEmpty();
        bench.time.advance(TTL.dividedBy(3));
        locks.runDueSteps();
        lease.extend(TTL);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(locks.tryAcquire(NAME, noWait)).isPresent();
    }
}
