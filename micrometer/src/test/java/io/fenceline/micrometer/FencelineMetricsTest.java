package io.fenceline.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LossReason;
import io.fenceline.ReleaseOutcome;
import io.fenceline.RevocationReason;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.NoGrant;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What single events do to the meters. */
class FencelineMetricsTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final FenceStamp STAMP = new FenceStamp(KEY, FencingToken.of(7));
    private static final Holder NODE = Holder.of("node 1");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final FencelineMetrics metrics = FencelineMetrics.bindTo(registry);

    private double value(String meter, String... tags) {
        return registry.get(meter)
                .tags(tags)
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    private void hear(LockEvent... events) {
        List.of(events).forEach(metrics::on);
    }

    @Test
    void aLeaseThatIsLostAndThenClosedIsHeldNoMoreAndEndsOnce() {
        hear(new LockEvent.AcquireBegun(KEY), new LockEvent.Acquired(STAMP, NODE, Duration.ofMillis(3), 1));
        assertThat(value("fenceline.leases.held")).isEqualTo(1);

        hear(
                new LockEvent.Lost(STAMP, LossReason.DEADLINE_PASSED),
                new LockEvent.Released(STAMP, ReleaseOutcome.ALREADY_ENDED, Duration.ZERO, false));

        assertThat(value("fenceline.leases.held")).isZero();
        assertThat(value("fenceline.leases.lost", "reason", "deadline_passed")).isEqualTo(1);
        assertThat(value("fenceline.leases.released", "outcome", "already_ended"))
                .isEqualTo(1);
    }

    @Test
    void aLeaseWhoseReleaseFailedIsHeldNoMore() {
        hear(
                new LockEvent.AcquireBegun(KEY),
                new LockEvent.Acquired(STAMP, NODE, Duration.ZERO, 1),
                new LockEvent.ReleaseFailed(STAMP, new IllegalStateException("no network")));

        assertThat(value("fenceline.leases.held")).isZero();
        assertThat(value("fenceline.leases.released", "outcome", "failed")).isEqualTo(1);
    }

    @Test
    void threadsThatAskAreCountedUntilTheyAreAnswered() {
        hear(new LockEvent.AcquireBegun(KEY), new LockEvent.AcquireBegun(KEY));
        assertThat(value("fenceline.acquire.waiters")).isEqualTo(2);

        hear(
                new LockEvent.Acquired(STAMP, NODE, Duration.ZERO, 1),
                new LockEvent.NotAcquired(KEY, NoGrant.TIMED_OUT, Duration.ofSeconds(5), 3));

        assertThat(value("fenceline.acquire.waiters")).isZero();
        assertThat(value("fenceline.acquire", "outcome", "timed_out")).isEqualTo(1);
    }

    @Test
    void latenessIsAShareOfTheTtl() {
        hear(new LockEvent.Renewed(STAMP, Duration.ofSeconds(30), Duration.ofSeconds(6)));

        assertThat(registry.get("fenceline.renewal.lateness").summary().max()).isEqualTo(0.2);
    }

    @Test
    void aWriteThatFailsByItselfIsNoRefusal() {
        hear(
                new LockEvent.GuardAsked("total", STAMP, GuardAct.WRITE),
                new LockEvent.GuardAnswered("total", STAMP, GuardAct.WRITE, false));

        assertThat(value("fenceline.guard.checks", "verdict", "failed")).isEqualTo(1);
    }

    @Test
    void aRefusalWithinAnotherWriteIsCountedOnceAndFailsTheOuterOne() {
        hear(
                new LockEvent.GuardAsked("outer", STAMP, GuardAct.WRITE),
                new LockEvent.GuardAsked("inner", STAMP, GuardAct.WRITE),
                new LockEvent.StaleRefused("inner", STAMP, FencingToken.of(9)),
                new LockEvent.GuardAnswered("inner", STAMP, GuardAct.WRITE, false),
                new LockEvent.GuardAnswered("outer", STAMP, GuardAct.WRITE, false));

        assertThat(value("fenceline.guard.checks", "verdict", "stale")).isEqualTo(1);
        assertThat(value("fenceline.guard.checks", "verdict", "failed")).isEqualTo(1);
        assertThat(registry.get("fenceline.guard.stale.gap").summary().max()).isEqualTo(2);
    }

    @Test
    void aTriggersRefusalComesWithoutAQuestion() {
        hear(new LockEvent.StaleRefused("invoice/42", STAMP, FencingToken.of(9)));

        assertThat(value("fenceline.guard.checks", "verdict", "stale")).isEqualTo(1);
        assertThat(value("fenceline.guard.checks", "verdict", "failed")).isZero();
    }

    @Test
    void aRefusedLeaseThatTheStoreConfirmsIsATokenRegression() {
        hear(
                new LockEvent.Acquired(STAMP, NODE, Duration.ZERO, 1),
                new LockEvent.StaleRefused("invoice/42", STAMP, FencingToken.of(9)));
        assertThat(value("fenceline.token.regressions")).isZero();

        hear(
                new LockEvent.Extended(STAMP, Duration.ofSeconds(30)),
                new LockEvent.Extended(STAMP, Duration.ofSeconds(30)));
        assertThat(value("fenceline.token.regressions")).isEqualTo(1);

        hear(
                new LockEvent.StaleRefused("invoice/42", STAMP, FencingToken.of(9)),
                new LockEvent.Released(STAMP, ReleaseOutcome.RELEASED, Duration.ZERO, false));
        assertThat(value("fenceline.token.regressions")).isEqualTo(2);
    }

    @Test
    void aRefusedLeaseThatTheStoreHasEndedIsNone() {
        hear(
                new LockEvent.Acquired(STAMP, NODE, Duration.ZERO, 1),
                new LockEvent.StaleRefused("invoice/42", STAMP, FencingToken.of(9)),
                new LockEvent.Released(STAMP, ReleaseOutcome.ALREADY_ENDED, Duration.ZERO, false));
        hear(
                new LockEvent.Acquired(STAMP, NODE, Duration.ZERO, 1),
                new LockEvent.StaleRefused("invoice/42", STAMP, FencingToken.of(9)),
                new LockEvent.Lost(STAMP, LossReason.REFUSED_BY_BACKEND),
                new LockEvent.Extended(STAMP, Duration.ofSeconds(30)));
        hear(
                new LockEvent.StaleRefused("invoice/42", STAMP, FencingToken.of(9)),
                new LockEvent.Extended(STAMP, Duration.ofSeconds(30)));

        assertThat(value("fenceline.token.regressions")).isZero();
    }

    @Test
    void aRefusedClaimOfANewTermIsCountedOnce() {
        hear(
                new LockEvent.Acquired(STAMP, NODE, Duration.ZERO, 1),
                new LockEvent.StaleRefused("bookings", STAMP, FencingToken.of(9)),
                new LockEvent.TokenRegressed("bookings", STAMP, FencingToken.of(9)),
                new LockEvent.Released(STAMP, ReleaseOutcome.RELEASED, Duration.ZERO, false));

        assertThat(value("fenceline.token.regressions")).isEqualTo(1);
    }

    @Test
    void aGroupIsLedFromElectedToRevokedAndGoneWithItsLastCandidate() {
        LockKey key = LockKey.of("election:stock");
        FenceStamp term = new FenceStamp(key, FencingToken.of(12));
        hear(new LockEvent.Joined("stock", key, NODE));
        assertThat(value("fenceline.election.leading", "group", "stock")).isZero();
        assertThat(value("fenceline.election.elections", "group", "stock")).isZero();

        hear(new LockEvent.Elected("stock", term, NODE));
        assertThat(value("fenceline.election.leading", "group", "stock")).isEqualTo(1);
        assertThat(value("fenceline.election.term", "group", "stock")).isEqualTo(12);

        hear(new LockEvent.Revoked("stock", term, NODE, RevocationReason.STEPPED_DOWN));
        assertThat(value("fenceline.election.leading", "group", "stock")).isZero();
        assertThat(value("fenceline.election.term", "group", "stock")).isEqualTo(12);
        assertThat(value("fenceline.election.revocations", "group", "stock", "reason", "stepped_down"))
                .isEqualTo(1);

        hear(new LockEvent.Left("stock", key, NODE));
        assertThat(registry.find("fenceline.election.leading").gauge()).isNull();

        hear(new LockEvent.Joined("stock", key, NODE), new LockEvent.Elected("stock", term, NODE));
        assertThat(value("fenceline.election.elections", "group", "stock")).isEqualTo(2);
    }

    @Test
    void whatIsCountedIsThereBeforeItHappens() {
        assertThat(value("fenceline.leases.lost", "reason", "refused_by_backend"))
                .isZero();
        assertThat(value("fenceline.guard.checks", "verdict", "stale")).isZero();
        assertThat(value("fenceline.token.warnings")).isZero();
        assertThat(value("fenceline.token.regressions")).isZero();
    }

    @Test
    void twoStoresAreToldApartByTheirTags() {
        SimpleMeterRegistry shared = new SimpleMeterRegistry();
        FencelineMetrics orders = FencelineMetrics.bindTo(shared, List.of(Tag.of("store", "orders")));
        FencelineMetrics.bindTo(shared, List.of(Tag.of("store", "stock")));

        orders.on(new LockEvent.Acquired(STAMP, NODE, Duration.ZERO, 1));

        assertThat(shared.get("fenceline.leases.held")
                        .tag("store", "orders")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(shared.get("fenceline.leases.held")
                        .tag("store", "stock")
                        .gauge()
                        .value())
                .isZero();
    }
}
