package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leaders and deadlines, to the millisecond: the default ttl of 30 s ends 1.5 s earlier for its holder. */
class ElectionOnManualTimeTest {

    private static final LockKey KEY = LockKey.of("election:billing");

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = new MemoryStore(TokenMode.COUNTER, time, time);
    private final FaultScript faults = new FaultScript();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final RecordedTerms terms = new RecordedTerms();
    private final Locks locks = Locks.builder(
                    FaultyLockBackend.over(new MemoryLockBackend(store), faults, time.source()))
            .time(time.source())
            .listener(events::add)
            .build();

    @AfterEach
    void closeLocks() {
        locks.close();
    }

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
    void refusesBadInputBeforeAnythingIsAsked() {
        assertThatIllegalArgumentException().isThrownBy(() -> Election.of(locks, "x".repeat(510)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Candidate.of("c").withHesitation(Duration.ofSeconds(-1)))
                .withMessageContaining("PT-1S");
    }
}
