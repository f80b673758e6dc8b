package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.time.Delays;
import io.fenceline.time.Ticker;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Grants that were passed on to a waiter that cannot use them. Something happens just before the waiter wakes, or while a clock is read. */
class CohortAbandonedTest {

    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofHours(1));

    private final Bench bench = Bench.signalling();

    @SuppressWarnings("ThreadLocalUsage") // for the thread of the test
    private final ThreadLocal<Runnable> atItsNextLookAtTheClock = new ThreadLocal<>();

    private final AtomicReference<Runnable> beforeItWakes = new AtomicReference<>();
    private final Locks locks =
            bench.builder().time(hookedTime()).withoutThread().build();

    private TimeSource hookedTime() {
        Ticker ticker = () -> {
            Runnable event = atItsNextLookAtTheClock.get();
            if (event != null) {
                atItsNextLookAtTheClock.remove();
                event.run();
            }
            return bench.time.nanos();
        };
        return new TimeSource(ticker, bench.time, new Delays() {
            @Override
            public void park(long nanos) throws InterruptedException {
                bench.time.park(nanos);
            }

            @Override
            public void wake(Thread thread) {
                Runnable event = beforeItWakes.getAndSet(null);
                if (event != null) {
                    event.run();
                }
                bench.time.wake(thread);
            }
        });
    }

    private Background<Lease> waiter(LockOptions options, int parked) {
        Background<Lease> waiter = Background.start(() -> locks.acquire(NAME, options));
        bench.time.awaitParked(parked);
        return waiter;
    }

    private Lease firstOfABlock() throws Exception {
        Lease before = locks.acquire(NAME);
        Background<Lease> first = waiter(PATIENT, 1);
        before.close();
        return first.result();
    }

    @Test
    void areReleasedIfTheWaiterIsInterrupted() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT, 1);
        beforeItWakes.set(next::interrupt);

        first.close();

        assertThat(next.failure()).isInstanceOf(InterruptedException.class);
        assertThat(bench.isFree()).isTrue();
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
    }

    @Test
    void arePassedOnIfTheWaiterIsInterruptedAndAnotherWaits() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT, 1);
        Background<Lease> last = waiter(PATIENT, 2);
        beforeItWakes.set(next::interrupt);

        first.close();

        assertThat(next.failure()).isInstanceOf(InterruptedException.class);
        assertThat(last.result().token().value()).isEqualTo(first.token().value() + 2);
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
    }

    @Test
    void areReleasedIfTheLocksWereClosed() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT, 1);
        beforeItWakes.set(locks::close);

        first.close();

        assertThat(next.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void areReleasedAndAskedForAgainIfTheWaiterWakesTooLate() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT, 1);
        beforeItWakes.set(() -> bench.time.suspend(TTL));

        first.close();

        Lease lease = next.result();
        assertThat(bench.asked(BackendOperation.RELEASE))
                .as("of what was passed on")
                .isOne();
        assertThat(lease.grant().lockId()).isNotEqualTo(first.grant().lockId());
        assertThat(lease.token()).isGreaterThan(first.token());
        lease.close();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void goToTheNextInLineIfTheFirstGivesUpMeanwhile() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> impatient = waiter(OPTIONS.withMaxWait(Duration.ofMillis(1)), 1);
        Background<Lease> next = waiter(PATIENT, 2);
        atItsNextLookAtTheClock.set(() -> {
            bench.time.advance(Duration.ofMillis(1));
            assertThat(failureOf(impatient)).isInstanceOf(LockTimeoutException.class);
        });

        first.close();

        assertThat(next.result().token().value()).isEqualTo(first.token().value() + 1);
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
    }

    @Test
    void areNotExtendedByTheHolderInFront() throws Exception {
        Lease first = firstOfABlock();
        Background<Lease> next = waiter(PATIENT, 1);
        atItsNextLookAtTheClock.set(first::close); // when it has begun to extend, and the lease is still held

        assertThatIllegalStateException().isThrownBy(() -> first.extend(TTL.multipliedBy(100)));

        assertThat(next.result().token().value()).isEqualTo(first.token().value() + 1);
        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();
    }

    private static Throwable failureOf(Background<Lease> waiter) {
        try {
            return waiter.failure();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
