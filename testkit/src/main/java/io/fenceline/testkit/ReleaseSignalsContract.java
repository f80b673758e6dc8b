package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.ReleaseSignals.Signal.HandedOver;
import io.fenceline.spi.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Contract of backends with {@link ReleaseSignals}. A signal may be lost in life; in these tests, with a store in good health, it
 * arrives.
 *
 * <p>Who listens here has asked before and was refused, as {@link ReleaseSignals#subscribe} says, with the patience that lets a
 * store with a queue enter it.
 */
public abstract class ReleaseSignalsContract extends AbilityContract {

    private static final long ARRIVAL_SECONDS = 10;

    /** A store that cannot exclude a release before it listened signals once when it begins to. */
    private static final int SIGNALS_OF_A_BEGINNING = 1;

    private final LockId waiter = LockId.random();
    private final BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
    private ReleaseSignals signals;

    /** Creates the contract; called by test engines. */
    protected ReleaseSignalsContract() {}

    @BeforeEach
    final void findSignals() {
        signals = backend.ability(ReleaseSignals.class).orElseThrow();
    }

    @Test
    @Tag("G1")
    void wakeAWaiterThatGetsTheLockThen() throws InterruptedException {
        Grant grant = take(KEY);
        waitInLine();

        assertThat(release(grant)).isTrue();

        assertWaiterHolds(nextSignal(), grant);
    }

    @Test
    @Tag("G1")
    void wakeAWaiterOfAnotherHandle() throws InterruptedException {
        Grant grant = take(KEY);
        waitInLine();

        LockBackend elsewhere = fixture().open();
        assertThat(elsewhere.release(KEY, grant.lockId())).isTrue();

        assertWaiterHolds(nextSignal(), grant);
    }

    @Test
    void wakeAWaiterAfterAForcedRelease() throws InterruptedException {
        Optional<LockCatalog> catalog = backend.ability(LockCatalog.class);
        assumeTrue(catalog.isPresent(), "the backend has no catalog");
        Grant grant = take(KEY);
        waitInLine();

        assertThat(catalog.get().forceRelease(KEY, Holder.of("operator"))).isPresent();

        assertWaiterHolds(nextSignal(), grant);
    }

    /** Otherwise a waiter would sleep until the old end. */
    @Test
    void wakeAWaiterWhenTheEndBecomesSooner() throws InterruptedException {
        Grant grant = take(KEY);
        waitInLine();
        refused(backend.acquire(patientRequest()));

        assertThat(backend.releaseAfter(KEY, grant.lockId(), LONG_TTL.dividedBy(2)))
                .isTrue();

        while (refused(backend.acquire(patientRequest())).remaining().compareTo(LONG_TTL.dividedBy(2)) > 0) {
            nextSignal();
        }
        assertThat(release(grant)).isTrue();
        assertWaiterHolds(nextSignal(), grant);
    }

    @Test
    void wakeOneWaiterAfterTheOther() throws InterruptedException {
        Grant grant = take(KEY);
        for (int i = 0; i < 3; i++) {
            LockId next = LockId.random();
            BlockingQueue<Signal> itsOwn = new LinkedBlockingQueue<>();
            Subscription subscription = waitInLine(backend, next, itsOwn);

            assertThat(release(grant)).isTrue();

            next(itsOwn);
            grant = granted(backend.acquire(patientRequest(next)));
            subscription.close();
        }
    }

    @Test
    @Tag("G2")
    void wakeAWaiterThatAskedForABlock() throws InterruptedException {
        Grant grant = take(KEY);
        AcquireRequest block = patientRequest(waiter, 5);
        refused(backend.acquire(block));
        signals.subscribe(KEY, waiter, heard::add);

        assertThat(release(grant)).isTrue();

        nextSignal();
        Grant got = granted(backend.acquire(block));
        assertIsABlockOf(5, got);
        assertThat(got.token()).isGreaterThan(grant.token());
        assertThat(release(got)).isTrue();
        assertThat(take(KEY).token()).isGreaterThan(got.lastToken());
    }

    @Test
    void wakeAWaiterThatAsksInVainForTheNextRelease() throws InterruptedException {
        Grant grant = take(KEY);
        waitInLine();
        refused(backend.acquire(patientRequest()));

        assertThat(release(grant)).isTrue();

        assertWaiterHolds(nextSignal(), grant);
    }

    @Test
    void areNotSentForOtherKeysOrForRefusedReleases() throws InterruptedException {
        Grant grant = take(KEY);
        waitInLine();

        for (int i = 0; i < 3; i++) {
            assertThat(release(take(OTHER_KEY))).isTrue();
            assertThat(backend.release(KEY, LockId.random())).isFalse();
        }
        assertThat(release(grant)).isTrue();

        nextSignal();
        assertThat(heard).hasSizeLessThanOrEqualTo(SIGNALS_OF_A_BEGINNING);
    }

    @Test
    void endWithTheSubscription() throws InterruptedException {
        Grant grant = take(KEY);
        Subscription ended = waitInLine();
        ended.close();
        ended.close();
        assertThat(backend.release(KEY, waiter)).isFalse();

        for (int i = 0; i < 3; i++) {
            LockId next = LockId.random();
            BlockingQueue<Signal> control = new LinkedBlockingQueue<>();
            Subscription subscription = waitInLine(backend, next, control);
            assertThat(release(grant)).isTrue();
            next(control);
            grant = granted(backend.acquire(patientRequest(next)));
            subscription.close();
        }

        assertThat(heard).hasSizeLessThanOrEqualTo(SIGNALS_OF_A_BEGINNING);
    }

    @Test
    void comeToEveryWaiterOrHandTheLockToTheOneInLine() throws InterruptedException {
        BlockingQueue<Signal> second = new LinkedBlockingQueue<>();
        Grant grant = take(KEY);
        waitInLine();
        waitInLine(backend, LockId.random(), second);

        assertThat(release(grant)).isTrue();

        Signal first = nextSignal();
        assertThat(first instanceof HandedOver || next(second) instanceof Signal.Released)
                .isTrue();
        assertWaiterHolds(first, grant);
    }

    @Test
    void letTheListenerAskTheBackend() throws InterruptedException {
        Grant grant = take(KEY);
        BlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
        refused(backend.acquire(patientRequest()));
        signals.subscribe(KEY, waiter, signal -> answers.add(backend.isLocked(OTHER_KEY)));

        assertThat(release(grant)).isTrue();

        assertThat(next(answers)).isFalse();
    }

    @Test
    void endWhenTheBackendIsClosed() throws InterruptedException {
        LockBackend other = fixture().open();
        BlockingQueue<Signal> control = new LinkedBlockingQueue<>();
        Grant grant = granted(other.acquire(request(KEY, LockId.random(), LONG_TTL)));
        waitInLine(other, LockId.random(), control);
        waitInLine();

        backend.close();
        assertThat(other.release(KEY, grant.lockId())).isTrue();

        next(control);
        assertThat(heard).hasSizeLessThanOrEqualTo(SIGNALS_OF_A_BEGINNING);
    }

    private Subscription waitInLine() {
        return waitInLine(backend, waiter, heard);
    }

    /** Asks in vain and then listens, as the engine does. */
    private static Subscription waitInLine(LockBackend where, LockId lockId, BlockingQueue<Signal> heard) {
        refused(where.acquire(patientRequest(lockId)));
        return where.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, lockId, heard::add);
    }

    private AcquireRequest patientRequest() {
        return patientRequest(waiter);
    }

    private static AcquireRequest patientRequest(LockId lockId) {
        return patientRequest(lockId, 1);
    }

    private static AcquireRequest patientRequest(LockId lockId, int tokens) {
        return new AcquireRequest(KEY, lockId, LONG_TTL, Holder.of("waiter"), tokens, Duration.ofMinutes(1));
    }

    private Signal nextSignal() throws InterruptedException {
        return next(heard);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T arrived = queue.poll(ARRIVAL_SECONDS, TimeUnit.SECONDS);
        if (arrived == null) {
            throw new AssertionError("no signal within " + ARRIVAL_SECONDS + " s");
        }
        return arrived;
    }

    /** Whether the lock was handed over or has to be asked for, the waiter has it now. */
    private void assertWaiterHolds(Signal signal, Grant previous) {
        Grant grant = granted(backend.acquire(patientRequest()));
        assertThat(grant.lockId()).isEqualTo(waiter);
        assertThat(grant.token()).isGreaterThan(previous.token());
        if (signal instanceof HandedOver handedOver) {
            assertThat(handedOver.grant()).isEqualTo(grant);
        }
    }
}
