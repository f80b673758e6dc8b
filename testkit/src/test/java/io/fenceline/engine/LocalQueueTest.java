package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.NoGrant;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L6: threads of one process that want the same key stand in line, in order, and only the first asks the backend. */
class LocalQueueTest {

    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofHours(1));

    private final Bench bench = Bench.polling();
    private final List<Integer> order = new CopyOnWriteArrayList<>();

    @Test
    void servesThreadsInTheOrderInWhichTheyCame() throws Exception {
        Lease lease = bench.acquire();
        List<Background<Lease>> line = lineUp(10);

        lease.close();
        for (Background<Lease> waiter : line) {
            waiter.result();
        }

        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void asksTheBackendTwiceForEachGrantHoweverManyWait() throws Exception {
        Lease lease = bench.acquire();
        List<Background<Lease>> line = lineUp(200);
        assertThat(bench.askedAtAll()).isOne();

        lease.close();
        for (Background<Lease> waiter : line) {
            waiter.result();
        }

        assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(201);
        assertThat(bench.asked(BackendOperation.RELEASE)).isEqualTo(201);
        assertThat(bench.askedAtAll()).isEqualTo(402);
        assertThat(bench.events.requests())
                .as("blocks are for stores with succession")
                .allMatch(request -> request.tokens() == 1);
    }

    @Test
    void letsOnlyTheFirstPollForALockThatIsHeldElsewhere() throws Exception {
        bench.takenByStranger(Duration.ofHours(2));
        lineUp(5);
        long asked = bench.asked(BackendOperation.ACQUIRE);

        bench.time.advance(bench.nextWake());
        bench.time.awaitParked(5);

        assertThat(bench.asked(BackendOperation.ACQUIRE) - asked).isOne();
    }

    @Test
    void doesNotAskTheBackendForACallerThatDoesNotWait() {
        Lease lease = bench.acquire();

        assertThat(bench.locks.tryAcquire(NAME)).isEmpty();
        assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
        assertThat(bench.heard).contains(new LockEvent.NotAcquired(lease.key(), NoGrant.TAKEN, Duration.ZERO, 0));

        lease.close();
        assertThat(bench.locks.tryAcquire(NAME)).isPresent();
    }

    @Test
    void isNotReentrant() {
        Lease lease = bench.acquire();

        assertThat(bench.locks.tryAcquire(NAME)).isEmpty();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void keepsDifferentKeysApart() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            leases.add(bench.locks.tryAcquire("key " + i).orElseThrow());
        }

        assertThat(leases).allMatch(Lease::isHeld);
    }

    @Test
    void isOneForAllFormsOfAKey() {
        bench.locks.tryAcquire("caf\u00e9").orElseThrow().key();

        assertThat(bench.locks.tryAcquire("cafe\u0301")).isEmpty();
    }

    @Test
    void isOneForEachLocks() throws Exception {
        Lease lease = bench.acquire();
        Locks others = bench.builder().withoutThread().build();

        assertThat(others.tryAcquire(NAME)).isEmpty();

        assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
        lease.close();
        assertThat(others.tryAcquire(NAME)).isPresent();
    }

    @Nested
    class PassesTheTurnOn {

        @Test
        void whenTheHoldersLeaseIsLost() throws Exception {
            Lease lost = bench.acquire(OPTIONS.withoutRenewal());
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(1);

            bench.pass(TTL.minus(MARGIN));
            bench.time.awaitParked(1);
            assertThat(bench.asked(BackendOperation.ACQUIRE))
                    .as("the store keeps it for the margin")
                    .isEqualTo(2);
            for (int pause : new int[] {100, 200, 400}) {
                assertThat(bench.nextWake()).isEqualTo(Duration.ofMillis(pause));
                bench.time.advance(bench.nextWake());
                bench.time.awaitParked(1);
            }
            bench.time.advance(bench.nextWake());

            Lease lease = waiter.result();
            assertThat(lease.token().isNewerThan(lost.token())).isTrue();
            lost.close();
            assertThat(lease.isHeld()).isTrue();
            assertThat(bench.locks.tryAcquire(NAME))
                    .as("the late close passes nothing on")
                    .isEmpty();
        }

        @Test
        void whenTheHoldersReleaseFails() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(1);

            bench.faults.next(BackendOperation.RELEASE, Fault.lostReply());
            lease.close();

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void afterTheReleaseWasAnswered() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(1);
            bench.events.before(
                    BackendOperation.RELEASE,
                    () -> assertThat(bench.asked(BackendOperation.ACQUIRE))
                            .as("nobody asks before")
                            .isOne());

            lease.close();

            waiter.result();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
        }

        @Test
        void whenTheFirstInLineTimesOutAtTheBackend() throws Exception {
            bench.takenByStranger(Duration.ofHours(2));
            Background<Lease> first =
                    Background.start(() -> bench.locks.acquire(NAME, OPTIONS.withMaxWait(Duration.ofMillis(50))));
            bench.time.awaitParked(1);
            Background<Lease> second = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(2);

            bench.time.advance(Duration.ofMillis(50));

            assertThat(first.failure()).isInstanceOf(LockTimeoutException.class);
            bench.time.awaitParked(1);
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(3);
            second.interrupt();
            assertThat(second.failure()).isInstanceOf(InterruptedException.class);
        }
    }

    @Nested
    class LetsAWaiterGo {

        @Test
        void whenItsTimeIsOver() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> first = waitAs(0, PATIENT, 1);
            Background<Lease> second = waitAs(1, OPTIONS.withMaxWait(Duration.ofSeconds(1)), 2);
            Background<Lease> third = waitAs(2, PATIENT, 3);

            bench.time.advance(Duration.ofSeconds(1));
            assertThat(second.failure()).isInstanceOfSatisfying(LockTimeoutException.class, e -> {
                assertThat(e.holder()).contains(Holder.of("us"));
                assertThat(e.waited()).isEqualTo(Duration.ofSeconds(1));
            });
            assertThat(bench.heard)
                    .contains(new LockEvent.NotAcquired(lease.key(), NoGrant.TIMED_OUT, Duration.ofSeconds(1), 0));

            lease.close();
            first.result();
            third.result();
            assertThat(order).containsExactly(0, 2);
        }

        @Test
        void whenItIsInterrupted() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> first = waitAs(0, PATIENT, 1);
            Background<Lease> second = waitAs(1, PATIENT, 2);
            Background<Lease> third = waitAs(2, PATIENT, 3);

            second.interrupt();
            assertThat(second.failure()).isInstanceOf(InterruptedException.class);

            lease.close();
            first.result();
            third.result();
            assertThat(order).containsExactly(0, 2);
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(3);
        }

        @Test
        void andCountsTheTimeInLineAsWaiting() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waitAs(0, OPTIONS.withMaxWait(Duration.ofSeconds(1)), 1);
            bench.time.advance(Duration.ofMillis(700));
            bench.events.after(BackendOperation.RELEASE, () -> bench.takenByStranger(TTL));

            lease.close();
            for (int pause : new int[] {100, 200}) {
                bench.time.awaitParked(1);
                assertThat(bench.nextWake()).isEqualTo(Duration.ofMillis(pause));
                bench.time.advance(bench.nextWake());
            }

            assertThat(waiter.failure()).isInstanceOf(LockTimeoutException.class);
            assertThat(bench.heard)
                    .filteredOn(LockEvent.NotAcquired.class::isInstance)
                    .singleElement()
                    .extracting(event -> ((LockEvent.NotAcquired) event).waited())
                    .isEqualTo(Duration.ofSeconds(1));
        }
    }

    private List<Background<Lease>> lineUp(int threads) {
        List<Background<Lease>> line = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            line.add(waitAs(i, PATIENT, i + 1));
        }
        return line;
    }

    /** Starts a thread that waits, notes its number when it has the lock, and releases. */
    private Background<Lease> waitAs(int number, LockOptions options, int parkedThen) {
        Background<Lease> waiter = Background.start(() -> {
            try (Lease lease = bench.locks.acquire(NAME, options)) {
                order.add(number);
                return lease;
            }
        });
        bench.time.awaitParked(parkedThen);
        return waiter;
    }
}
