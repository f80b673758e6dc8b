package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Leaders and deadlines, to the millisecond: the default ttl of 30 s ends 1.5 s earlier for its holder. */
class ElectionOnManualTimeTest extends ElectionOnManualTime {

    @Test
    void aLeaderWhoseStoreIsAwayStopsByItsOwnClockBeforeAnyOtherCanBeElected() throws InterruptedException {
        MemoryLockBackend others = new MemoryLockBackend(store);
        Election election = Election.join(locks, "billing", Candidate.of("cut off"), terms);
        Leadership term = terms.awaitElected();
        faults.everything(Fault.lostRequest());

        time.advance(Duration.ofMillis(28_499));
        assertThat(term.isLeading()).isTrue();
        assertThat(election.tokens().current()).isPresent();

        time.advance(Duration.ofMillis(1));
        assertThat(term.isLeading()).isFalse();
        assertThat(election.tokens().current()).isEmpty();
        assertThat(others.isLocked(KEY)).as("nobody else can be elected yet").isTrue();
        assertThat(terms.awaitRevoked()).isEqualTo(RevocationReason.LEASE_LOST);

        time.advance(Duration.ofMillis(1_499));
        assertThat(others.isLocked(KEY)).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(others.isLocked(KEY)).isFalse();
    }

    @Test
    void tellsListenersOfEachTermsBeginAndEnd() throws InterruptedException {
        Election election = Election.join(locks, "billing", Candidate.of("node-1"), terms);
        Leadership term = terms.awaitElected();
        election.close();

        List<LockEvent> ofTheTerm = events.stream()
                .filter(event -> event instanceof LockEvent.Elected || event instanceof LockEvent.Revoked)
                .toList();
        assertThat(ofTheTerm).hasSize(2);
        LockEvent.Elected elected = (LockEvent.Elected) ofTheTerm.get(0);
        LockEvent.Revoked revoked = (LockEvent.Revoked) ofTheTerm.get(1);
        assertThat(elected.stamp().token()).isEqualTo(term.term());
        assertThat(elected.candidate().text()).isEqualTo("node-1");
        assertThat(revoked.stamp()).isEqualTo(elected.stamp());
        assertThat(revoked.reason()).isEqualTo(RevocationReason.CLOSED);
    }

    @Test
    void aHesitantCandidateLeavesAVacantGroupToTheOthersForAWhile() throws InterruptedException {
        Candidate hesitant = Candidate.of("second data centre").withHesitation(Duration.ofSeconds(10));
        Election election = Election.join(locks, "billing", hesitant, terms);

        for (int i = 0; i < 39; i++) {
            time.awaitParked(1);
            time.advance(Duration.ofMillis(250));
        }
        time.awaitParked(1);
        assertThat(terms.hasNews()).isFalse();

        time.advance(Duration.ofMillis(250));
        assertThat(terms.awaitElected().isLeading()).isTrue();
        election.close();
    }

    @Test
    void aHesitantCandidateLeavesWhenItsLocksAreClosedThoughAnotherLeads() {
        new MemoryLockBackend(store)
                .acquire(AcquireRequest.of(KEY, LockId.random(), Duration.ofHours(1), Holder.of("the leader")));
        Candidate hesitant = Candidate.of("second data centre").withHesitation(Duration.ofSeconds(10));
        Election election = Election.join(locks, "billing", hesitant, terms);
        time.awaitParked(1);

        locks.close();
        time.advance(Duration.ofMillis(250));

        await().until(() -> events.stream().anyMatch(LockEvent.Left.class::isInstance));
        election.close();
    }

    @Test
    void aHesitantCandidateWaitsAnewWhenAnotherHasLedMeanwhile() throws InterruptedException {
        MemoryLockBackend others = new MemoryLockBackend(store);
        Candidate hesitant = Candidate.of("second data centre").withHesitation(Duration.ofSeconds(10));
        Election election = Election.join(locks, "billing", hesitant, terms);
        lookAround(36); // 9 s of 10
        LockId other = LockId.random();
        others.acquire(AcquireRequest.of(KEY, other, Duration.ofHours(1), Holder.of("the leader")));
        lookAround(1);
        time.awaitParked(1); // it has seen the other
        others.release(KEY, other);

        lookAround(36);
        time.awaitParked(1);

        assertThat(terms.hasNews()).isFalse();
        assertThat(others.isLocked(KEY)).isFalse();
        election.close();
    }

    /** It would stand back for a ttl, as it does after a failure that lasts. */
    @Test
    void aHesitantCandidateGoesOnAfterAFailureThatPasses() throws InterruptedException {
        Candidate hesitant = Candidate.of("second data centre").withHesitation(Duration.ofSeconds(10));
        faults.next(BackendOperation.LOOKUP, Fault.lostRequest());
        faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());
        Election election = Election.join(locks, "billing", hesitant, terms);

        lookAround(41); // one look in vain, then 10 s
        assertThat(terms.hasNews()).isFalse();
        advanceUntilThereIsNews(); // after one attempt in vain
        assertThat(terms.awaitElected().isLeading()).isTrue();
        election.close();
    }

    @Test
    void aHesitantCandidateWaitsAnewAfterALookInVain() throws InterruptedException {
        Candidate hesitant = Candidate.of("second data centre").withHesitation(Duration.ofSeconds(10));
        Election election = Election.join(locks, "billing", hesitant, terms);
        lookAround(36); // 9 s of 10
        time.awaitParked(1);
        faults.next(BackendOperation.LOOKUP, Fault.lostRequest());
        lookAround(2);

        lookAround(36);
        time.awaitParked(1);

        assertThat(terms.hasNews()).isFalse();
        advanceUntilThereIsNews();
        assertThat(terms.awaitElected().isLeading()).isTrue();
        election.close();
    }

    private void lookAround(int times) {
        for (int i = 0; i < times; i++) {
            time.awaitParked(1);
            time.advance(Duration.ofMillis(250));
        }
    }

    @Test
    void aLeaderStopsAsEarlyAsItsMarginSays() throws InterruptedException {
        Election election = Election.of(locks, "billing")
                .ttl(Duration.ofSeconds(30))
                .safetyMargin(Duration.ofSeconds(10))
                .join(terms);
        Leadership term = terms.awaitElected();

        assertThat(term.remaining()).isEqualTo(Duration.ofSeconds(20));
        election.close();
    }

    /** What the listener does meanwhile must not overlap with what the next leader does. */
    @Test
    void othersAreKeptOutUntilTheListenerHasStopped() throws InterruptedException {
        MemoryLockBackend others = new MemoryLockBackend(store);
        AtomicReference<Boolean> lockedMeanwhile = new AtomicReference<>();
        Election election = Election.join(locks, "billing", Candidate.of("node-1"), revokedBy((leadership, reason) -> {
            lockedMeanwhile.set(others.isLocked(KEY));
        }));
        terms.awaitElected();

        election.close();

        assertThat(lockedMeanwhile).hasValue(true);
        assertThat(others.isLocked(KEY)).isFalse();
    }

    @Test
    void thereIsNoLeadershipFromItsEndOnThoughTheListenerHasNotStopped() throws InterruptedException {
        CountDownLatch stopping = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Election election = Election.join(locks, "billing", Candidate.of("node-1"), revokedBy((leadership, reason) -> {
            stopping.countDown();
            awaitQuietly(stopped);
        }));
        terms.awaitElected();
        assertThat(election.leadership()).isPresent();

        election.stepDown();

        assertThat(election.leadership()).isEmpty();
        awaitQuietly(stopping);
        assertThat(election.leadership()).isEmpty();
        stopped.countDown();
        election.close();
    }

    @Test
    void anInterruptThatTheListenerLeavesBehindShortensNoStandingBack() throws InterruptedException {
        Election election = Election.join(locks, "billing", Candidate.of("node-1"), revokedBy((leadership, reason) -> {
            terms.onRevoked(leadership, reason);
            Thread.currentThread().interrupt();
        }));
        terms.awaitElected();

        election.stepDown();
        assertThat(terms.awaitRevoked()).isEqualTo(RevocationReason.STEPPED_DOWN);
        time.awaitParked(2); // the watch over leases, and the candidate that stands back
        time.advance(Duration.ofSeconds(29));
        time.awaitParked(2);
        assertThat(terms.hasNews()).isFalse();

        election.close();
    }

    @Test
    void aTermThatEndedBeforeItsListenerWasToldInterruptsIt() throws InterruptedException {
        AtomicReference<Election> joined = new AtomicReference<>();
        CountDownLatch isJoined = new CountDownLatch(1);
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        try (Locks eventful = Locks.builder(new MemoryLockBackend(store))
                .time(time.source())
                .listener(event -> {
                    if (event instanceof LockEvent.Elected) {
                        awaitQuietly(isJoined);
                        joined.get().stepDown();
                    }
                })
                .build()) {
            Election election = Election.join(eventful, "billing", Candidate.of("node-1"), new LeadershipListener() {
                @Override
                public void onElected(Leadership leadership) {
                    interrupted.set(Thread.currentThread().isInterrupted());
                    terms.onElected(leadership);
                }

                @Override
                public void onRevoked(Leadership leadership, RevocationReason reason) {
                    terms.onRevoked(leadership, reason);
                }
            });
            joined.set(election);
            isJoined.countDown();

            assertThat(terms.awaitElected().isLeading()).isFalse();
            assertThat(interrupted).hasValue(true);
            assertThat(terms.awaitRevoked()).isEqualTo(RevocationReason.STEPPED_DOWN);
            election.close();
        }
    }

    /** Tells {@link #terms} of elections, and does something else when a term ends. */
    private LeadershipListener revokedBy(BiConsumer<Leadership, RevocationReason> onRevoked) {
        return new LeadershipListener() {
            @Override
            public void onElected(Leadership leadership) {
                terms.onElected(leadership);
            }

            @Override
            public void onRevoked(Leadership leadership, RevocationReason reason) {
                onRevoked.accept(leadership, reason);
            }
        };
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void refusesBadInputBeforeAnythingIsAsked() {
        assertThatIllegalArgumentException().isThrownBy(() -> Election.of(locks, "x".repeat(510)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Election.of(locks, ""))
                .withMessageContaining("empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Election.of(locks, "g").safetyMargin(Duration.ofSeconds(30)))
                .withMessageContaining("PT30S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Candidate.of("c").withHesitation(Duration.ofSeconds(-1)))
                .withMessageContaining("PT-1S");
    }
}
