package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L7: waiters are woken by the store's signals where it sends any, with a poll as the net below. */
class WaitingTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final LockOptions PATIENT = OPTIONS.withMaxWait(HOUR);

    @Nested
    class ForASignal {

        private final Bench bench = Bench.signalling();

        @Test
        void takesNoTimeAndNoPolling() throws Exception {
            Grant stranger = bench.takenByStranger(HOUR);
            Background<Lease> waiter = waitFor(OPTIONS.withRetry(OPTIONS.retry().withMaxDelay(HOUR)));
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofSeconds(4));

            bench.releasedByStranger(stranger);

            assertThat(waiter.result().remaining())
                    .as("counted from the refusal, of which a copy may have been granted")
                    .isEqualTo(TTL.minus(MARGIN).minusSeconds(4));
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
        }

        @Test
        void endsWithAPollIfTheSignalIsLost() throws Exception {
            Grant stranger = bench.takenByStranger(HOUR);
            Background<Lease> waiter = waitFor(PATIENT);
            bench.time.awaitParked(1);
            bench.faults.next(BackendOperation.SIGNAL, Fault.lostRequest());
            bench.time.advance(Duration.ofMillis(100));
            bench.releasedByStranger(stranger);

            assertThat(bench.nextWake()).isEqualTo(OPTIONS.retry().maxDelay().minusMillis(100));
            bench.time.advance(bench.nextWake());

            assertThat(waiter.result().isHeld()).isTrue();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
        }

        @Test
        void endsWithTheLeaseInItsWayWhichNobodySignals() throws Exception {
            bench.takenByStranger(Duration.ofMillis(300));
            Background<Lease> waiter = waitFor(PATIENT);
            bench.time.awaitParked(1);

            assertThat(bench.nextWake()).isBetween(Duration.ofMillis(300), Duration.ofMillis(325));
            bench.time.advance(bench.nextWake());

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void doesNotMissAReleaseBetweenTheRefusalAndTheListening() throws Exception {
            Grant stranger = bench.takenByStranger(HOUR);
            bench.events.after(BackendOperation.ACQUIRE, () -> bench.releasedByStranger(stranger));

            Lease lease = waitFor(PATIENT).result();

            assertThat(lease.isHeld()).isTrue();
        }

        @Test
        void doesNotMissAReleaseDuringALaterAttempt() throws Exception {
            Grant first = bench.takenByStranger(HOUR);
            Background<Lease> waiter = waitFor(PATIENT);
            bench.time.awaitParked(1);
            bench.events.before(BackendOperation.ACQUIRE, () -> {
                Grant second = bench.takenByStranger(HOUR);
                bench.events.after(BackendOperation.ACQUIRE, () -> bench.releasedByStranger(second));
            });

            bench.releasedByStranger(first);

            assertThat(waiter.result().isHeld()).isTrue();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(3);
        }

        @Test
        void goesOnIfAnotherWasFaster() throws Exception {
            Grant first = bench.takenByStranger(HOUR);
            Background<Lease> waiter = waitFor(PATIENT);
            bench.time.awaitParked(1);
            bench.events.before(BackendOperation.ACQUIRE, () -> bench.takenByStranger(HOUR));

            bench.releasedByStranger(first);
            bench.time.awaitParked(1);

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
            assertThat(bench.nextWake()).isEqualTo(OPTIONS.retry().maxDelay());
            waiter.interrupt();
            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        }

        @Test
        void isNotDisturbedBySignalsOfOtherKeys() throws Exception {
            bench.takenByStranger(HOUR);
            Background<Lease> waiter = waitFor(PATIENT);
            bench.time.awaitParked(1);

            bench.locks.tryAcquire("another key").orElseThrow().close();

            bench.time.awaitParked(1);
            assertThat(bench.asked(BackendOperation.ACQUIRE))
                    .as("one for each key")
                    .isEqualTo(2);
            waiter.interrupt();
            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        }

        private Background<Lease> waitFor(LockOptions options) {
            return Background.start(() -> bench.locks.acquire(NAME, options));
        }
    }
}
