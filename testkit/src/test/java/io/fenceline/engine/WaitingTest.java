package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
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

    /** As of a waiter whose every grant comes too late to be used: it asks under another id each time, and may have missed a release. */
    @Nested
    class ForSignalsWithoutEnd {

        private final ManualTime time = new ManualTime();
        private final AtomicInteger attempts = new AtomicInteger();

        @Test
        @Tag("L5")
        void endsWithAnInterrupt() {
            try (Locks locks = Locks.builder(new SlowBackend())
                    .time(time.source())
                    .withoutThread()
                    .build()) {
                assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> locks.acquire(NAME, PATIENT));
            }
            assertThat(attempts).hasValue(1);
        }

        private final class SlowBackend extends ForwardingLockBackend {

            SlowBackend() {
                super(new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time)));
            }

            @Override
            public Acquisition acquire(AcquireRequest request) {
                Acquisition answer = super.acquire(request);
                time.advance(request.ttl());
                attempts.incrementAndGet();
                Thread.currentThread().interrupt();
                return answer;
            }

            @Override
            public <T> Optional<T> ability(Class<T> type) {
                ReleaseSignals signals = (key, waiter, listener) -> {
                    listener.accept(new ReleaseSignals.Signal.Released());
                    return () -> {};
                };
                return type == ReleaseSignals.class ? Optional.of(type.cast(signals)) : super.ability(type);
            }
        }
    }
}
