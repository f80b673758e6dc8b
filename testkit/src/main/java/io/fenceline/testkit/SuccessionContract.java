package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.Succession;
import io.fenceline.spi.Succession.Turnover;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of backends with {@link Succession}: nobody comes between the release and the attempt. */
public abstract class SuccessionContract extends AbilityContract {

    private final LockId waiter = LockId.random();
    private Succession succession;

    /** Creates the contract; called by test engines. */
    protected SuccessionContract() {}

    @BeforeEach
    final void findSuccession() {
        succession = backend.ability(Succession.class).orElseThrow();
    }

    @Test
    @Tag("G2")
    @Tag("G3")
    void endsTheLeaseAndGrantsTheLock() {
        Grant last = take(KEY);

        Turnover turnover = succeed(last);

        assertThat(turnover.released()).isTrue();
        Grant grant = granted(turnover.outcome());
        assertThat(grant.lockId()).isEqualTo(waiter);
        assertThat(grant.holder()).isEqualTo(STRANGER);
        assertThat(grant.token()).isGreaterThan(last.token());
        assertHeldBy(grant);
        assertThat(release(last)).isFalse();
        assertThat(extend(last, LONG_TTL)).isFalse();
    }

    @Test
    void goesOnFromOneToTheNext() {
        Grant last = take(KEY);
        for (int i = 0; i < 10; i++) {
            Turnover turnover = succession.succeed(last.lockId(), request(KEY, LockId.random(), LONG_TTL), false);
            assertThat(turnover.released()).isTrue();
            Grant next = granted(turnover.outcome());
            assertThat(next.token()).isGreaterThan(last.token());
            last = next;
        }
        assertThat(release(last)).isTrue();
        assertFree(KEY);
    }

    @Test
    @Tag("G2")
    void goesOnInBlocksOfTokens() {
        Grant last = take(KEY);
        for (int i = 0; i < 10; i++) {
            Grant block = granted(succession
                    .succeed(last.lockId(), blockRequest(KEY, LockId.random(), 32), false)
                    .outcome());
            assertIsABlockOf(32, block);
            assertThat(block.token()).isGreaterThan(last.lastToken());
            assertHeldBy(block);
            last = block;
        }
        Grant next = granted(succeed(last).outcome());
        assertThat(next.tokens()).isOne();
        assertThat(next.token()).isGreaterThan(last.lastToken());
    }

    @Test
    @Tag("G7")
    void givesTheSameGrantAgainWhenItIsRepeated() {
        Grant last = take(KEY);
        Grant grant = granted(succeed(last).outcome());

        Turnover again = succeed(last);

        assertThat(again.released()).isFalse();
        assertThat(granted(again.outcome())).isEqualTo(grant);
    }

    @Test
    @Tag("G6")
    void doesNotEndAStrangersLease() {
        Grant last = takeAndLetExpire(KEY);
        Grant other = take(KEY);

        Turnover turnover = succeed(last);

        assertThat(turnover.released()).isFalse();
        refused(turnover.outcome());
        assertHeldBy(other);
    }

    @Test
    @Tag("G6")
    void takesALockThatIsFreeAlthoughTheLeaseHasEnded() {
        Grant last = takeAndLetExpire(KEY);

        Turnover turnover = succeed(last);

        assertThat(turnover.released()).isFalse();
        assertThat(granted(turnover.outcome()).token()).isGreaterThan(last.token());
    }

    @Test
    void worksForALockThatNobodyEverHad() {
        Turnover turnover = succession.succeed(LockId.random(), request(KEY, waiter, LONG_TTL), false);

        assertThat(turnover.released()).isFalse();
        assertHeldBy(granted(turnover.outcome()));
    }

    @Test
    void runsForTheTtlOfTheNext() {
        Grant last = take(KEY);

        granted(succession
                .succeed(last.lockId(), request(KEY, waiter, shortTtl()), false)
                .outcome());
        letExpire();

        assertFree(KEY);
    }

    @Test
    @Tag("G5")
    void changesNothingIfTheTokensAreUsedUp() {
        Optional<LockCatalog> catalog = backend.ability(LockCatalog.class);
        assumeTrue(catalog.isPresent(), "without a catalog the limit is out of reach");
        Grant last = take(KEY);
        catalog.get().raiseToken(KEY, FencingToken.of(FencingToken.MAX_VALUE), HOLDER);

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> succeed(last));

        assertHeldBy(last);
    }

    @Test
    @Tag("G1")
    void letsAnotherProcessThatWaitsHaveTheLockFirst() throws InterruptedException {
        Grant last = take(KEY);
        LockBackend elsewhere = fixture().open();
        LockId theirs = LockId.random();
        BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
        elsewhere.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, theirs, heard::add);
        AcquireRequest wanted =
                new AcquireRequest(KEY, theirs, LONG_TTL, Holder.of("waiter"), 1, Duration.ofMinutes(1));
        refused(elsewhere.acquire(wanted));

        untilRefused(last);

        assertThat(heard.poll(10, TimeUnit.SECONDS)).isNotNull();
        assertThat(granted(elsewhere.acquire(wanted)).token()).isGreaterThan(last.token());
    }

    @Test
    void keepsTheLockInTheProcessIfNobodyElseWaits() {
        Grant last = take(KEY);

        Turnover turnover = succession.succeed(last.lockId(), request(KEY, waiter, LONG_TTL), true);

        assertThat(turnover.released()).isTrue();
        assertHeldBy(granted(turnover.outcome()));
    }

    /** Keeps the lock in the process until the store knows of the other one, which a subscription does not wait for. */
    private void untilRefused(Grant last) {
        Grant running = last;
        for (int i = 0; i < 1000; i++) {
            AcquireRequest next =
                    new AcquireRequest(KEY, LockId.random(), LONG_TTL, STRANGER, 1, Duration.ofMinutes(1));
            Turnover turnover = succession.succeed(running.lockId(), next, true);
            assertThat(turnover.released()).isTrue();
            if (turnover.outcome() instanceof Contended) {
                return;
            }
            running = granted(turnover.outcome());
            fixture().passTime(Duration.ofMillis(5));
        }
        throw new AssertionError("others never got the lock");
    }

    private Turnover succeed(Grant last) {
        return succession.succeed(last.lockId(), AcquireRequest.of(KEY, waiter, LONG_TTL, STRANGER), false);
    }
}
