package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Grant;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.ReleaseSignals.Signal.HandedOver;
import io.fenceline.spi.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a backend with {@link ReleaseSignals} promises. A signal may be lost in life; in these tests, with a store in good
 * health, it arrives.
 */
public abstract class ReleaseSignalsContract extends AbilityContract {

    private static final long ARRIVAL_SECONDS = 10;

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
        listen();
        refused(backend.acquire(patientRequest()));

        assertThat(release(grant)).isTrue();

        assertWaiterHolds(nextSignal(), grant);
    }

    @Test
    @Tag("G1")
    void wakeAWaiterOfAnotherHandle() throws InterruptedException {
        Grant grant = take(KEY);
        listen();
        refused(backend.acquire(patientRequest()));

        LockBackend elsewhere = fixture().open();
        assertThat(elsewhere.release(KEY, grant.lockId())).isTrue();

        assertWaiterHolds(nextSignal(), grant);
    }

    @Test
    void wakeAWaiterAgainForTheNextRelease() throws InterruptedException {
        listen();
        for (int i = 0; i < 3; i++) {
            Grant grant = take(KEY);
            heard.clear();
            assertThat(release(grant)).isTrue();
            assertThat(nextSignal()).isInstanceOf(Signal.Released.class);
        }
    }

    @Test
    void areNotSentForOtherKeysOrForRefusedReleases() throws InterruptedException {
        Grant grant = take(KEY);
        Grant other = take(OTHER_KEY);
        listen();

        assertThat(release(other)).isTrue();
        assertThat(backend.release(KEY, LockId.random())).isFalse();
        assertThat(release(grant)).isTrue();

        nextSignal();
        assertThat(heard).isEmpty();
    }

    @Test
    void endWithTheSubscription() throws InterruptedException {
        BlockingQueue<Signal> control = new LinkedBlockingQueue<>();
        Grant grant = take(KEY);
        Subscription ended = listen();
        signals.subscribe(KEY, LockId.random(), control::add);
        ended.close();
        ended.close();

        assertThat(release(grant)).isTrue();

        assertThat(next(control)).isInstanceOf(Signal.Released.class);
        assertThat(heard).isEmpty();
    }

    @Test
    void comeToEveryWaiterOrHandTheLockToTheOneInLine() throws InterruptedException {
        BlockingQueue<Signal> second = new LinkedBlockingQueue<>();
        Grant grant = take(KEY);
        listen();
        signals.subscribe(KEY, LockId.random(), second::add);
        refused(backend.acquire(patientRequest()));

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
        signals.subscribe(KEY, waiter, signal -> answers.add(backend.isLocked(OTHER_KEY)));

        assertThat(release(grant)).isTrue();

        assertThat(next(answers)).isFalse();
    }

    @Test
    void endWhenTheBackendIsClosed() throws InterruptedException {
        LockBackend other = fixture().open();
        BlockingQueue<Signal> control = new LinkedBlockingQueue<>();
        other.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, LockId.random(), control::add);
        listen();

        backend.close();
        Grant grant = granted(other.acquire(request(KEY, LockId.random(), LONG_TTL)));
        assertThat(other.release(KEY, grant.lockId())).isTrue();

        assertThat(next(control)).isInstanceOf(Signal.Released.class);
        assertThat(heard).isEmpty();
    }

    private Subscription listen() {
        return signals.subscribe(KEY, waiter, heard::add);
    }

    private AcquireRequest patientRequest() {
        return new AcquireRequest(KEY, waiter, LONG_TTL, Holder.of("waiter"), 1, Duration.ofMinutes(1));
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
