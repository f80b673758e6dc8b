package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.LeaderView;
import io.fenceline.election.LeaderWatch;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.election.NotLeaderException;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of elections, for every backend: {@code E1} to {@code E4} of {@code docs/guarantees.md}. A backend's test class
 * extends this and returns its fixture.
 */
public abstract class ElectionContract {

    private static final String GROUP = "billing";
    private static final Duration TTL = Duration.ofSeconds(2);

    /** For tests that wait until a candidate no longer stands back, and do not mind a lease that is lost on a slow machine. */
    private static final Duration SHORT_TTL = Duration.ofSeconds(1);

    private static final long PATIENCE_SECONDS = 30;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private BackendFixture fixture;
    private LockBackend backend;
    private Locks locks;

    /** Creates the contract; called by test engines. */
    protected ElectionContract() {}

    /**
     * Returns a fixture on an empty store. Called once for each test.
     *
     * @return the fixture, which the contract closes
     */
    protected abstract BackendFixture newFixture();

    @BeforeEach
    final void openStore() {
        fixture = newFixture();
        backend = fixture.open();
        locks = newLocks();
    }

    @AfterEach
    final void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        fixture.close();
    }

    @Test
    void makesOneCandidateTheLeaderWithATermThatIsItsGrantsToken() throws InterruptedException {
        RecordedTerms first = new RecordedTerms();
        RecordedTerms second = new RecordedTerms();
        Election leading = join("first", first);
        Leadership term = first.awaitElected();
        Election waiting = join("second", second);

        Grant grant = backend.lookup(leading.key()).orElseThrow().raw();
        assertThat(term.term()).isEqualTo(grant.token());
        assertThat(term.current()).contains(new FenceStamp(leading.key(), grant.token()));
        assertThat(leading.tokens().required()).isEqualTo(grant.stamp());
        assertThat(Election.leader(locks, GROUP)).contains(new LeaderView(GROUP, grant.holder(), grant.token()));
        assertThat(waiting.tokens().current()).isEmpty();
        assertThat(waiting.leadership()).isEmpty();
        assertThatExceptionOfType(NotLeaderException.class)
                .isThrownBy(() -> waiting.tokens().required());
        assertThat(second.hasNews()).isFalse();
    }

    @Test
    void letsAnotherLeadUnderAGreaterTermWhenTheLeaderStepsDown() throws InterruptedException {
        RecordedTerms first = new RecordedTerms();
        RecordedTerms second = new RecordedTerms();
        Election leader = join("first", first);
        Leadership term = first.awaitElected();
        join("second", second);

        leader.stepDown();

        assertThat(term.isLeading()).isFalse();
        assertThat(term.current()).isEmpty();
        assertThat(term.remaining()).isEqualTo(Duration.ZERO);
        assertThat(first.awaitRevoked()).isEqualTo(RevocationReason.STEPPED_DOWN);
        assertThat(second.awaitElected().term()).isGreaterThan(term.term());
    }

    @Test
    void letsAnotherLeadWhenTheLeaderLeaves() throws InterruptedException {
        RecordedTerms first = new RecordedTerms();
        RecordedTerms second = new RecordedTerms();
        Election leader = join("first", first);
        Leadership term = first.awaitElected();
        join("second", second);

        leader.close();
        leader.close();

        assertThat(first.awaitRevoked()).isEqualTo(RevocationReason.CLOSED);
        assertThat(second.awaitElected().term()).isGreaterThan(term.term());
        assertThat(first.hasNews()).isFalse();
    }

    @Test
    void givesACandidateThatComesBackANewTerm() throws InterruptedException {
        RecordedTerms terms = new RecordedTerms();
        Election only = join("only", SHORT_TTL, terms);
        Leadership before = terms.awaitElected();

        only.stepDown();
        terms.awaitRevoked();
        Leadership after = terms.awaitElected();

        assertThat(after.term()).isGreaterThan(before.term());
        before.stepDown();
        assertThat(after.current()).contains(after.grant().stamp());
        assertThat(before.isLeading()).isFalse();
    }

    @Test
    void revokesALeaderWhoseLockWasTakenAway() throws InterruptedException {
        RecordedTerms terms = new RecordedTerms();
        Election only = join("only", terms);
        Leadership term = terms.awaitElected();

        Grant grant = backend.lookup(only.key()).orElseThrow().raw();
        assertThat(backend.release(only.key(), grant.lockId())).isTrue();

        assertThat(terms.awaitRevoked()).isEqualTo(RevocationReason.LEASE_LOST);
        assertThat(term.current()).isEmpty();
        assertThat(terms.awaitElected().term()).isGreaterThan(term.term());
    }

    @Test
    void takesTheLeadershipFromAListenerThatFails() throws InterruptedException {
        BlockingQueue<RevocationReason> reasons = new LinkedBlockingQueue<>();
        RecordedTerms second = new RecordedTerms();
        join("failing", new LeadershipListener() {
            @Override
            public void onElected(Leadership leadership) {
                throw new IllegalStateException("cannot lead (thrown by the test)");
            }

            @Override
            public void onRevoked(Leadership leadership, RevocationReason reason) {
                reasons.add(reason);
                throw new IllegalStateException("cannot stop either (thrown by the test)");
            }
        });

        assertThat(reasons.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(RevocationReason.LISTENER_FAILED);
        join("second", second);
        assertThat(second.awaitElected().isLeading()).isTrue();
    }

    @Test
    void interruptsAListenerThatLeadsInItsOwnThread() throws InterruptedException {
        CountDownLatch working = new CountDownLatch(1);
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Election election = join("worker", new LeadershipListener() {
            @Override
            public void onElected(Leadership leadership) throws InterruptedException {
                working.countDown();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    heard.add("work ended");
                }
            }

            @Override
            public void onRevoked(Leadership leadership, RevocationReason reason) {
                heard.add(reason + (Thread.currentThread().isInterrupted() ? " interrupted" : ""));
            }
        });
        assertThat(working.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

        election.stepDown();

        assertThat(heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("work ended");
        assertThat(heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("STEPPED_DOWN");
    }

    @Test
    void claimsResourcesBeforeTheListenerIsTold() throws InterruptedException {
        MemoryFenceGuard guard = new MemoryFenceGuard();
        RecordedTerms first = new RecordedTerms();
        RecordedTerms second = new RecordedTerms();
        Election leader = claiming("first", guard, first);
        FenceStamp stale = first.awaitElected().current().orElseThrow();
        claiming("second", guard, second);

        leader.close();
        FencingToken term = second.awaitElected().term();

        assertThat(guard.highest("orders").orElseThrow().token()).isEqualTo(term);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.<String>call("orders", stale, () -> "stale"));
    }

    @Test
    void tellsAnObserverOfEachLeader() throws InterruptedException {
        BlockingQueue<Optional<LeaderView>> seen = new LinkedBlockingQueue<>();
        RecordedTerms terms = new RecordedTerms();
        Election leader = join("first", terms);
        FencingToken term = terms.awaitElected().term();
        try (LeaderWatch watch = Election.observe(locks, GROUP, seen::add)) {
            assertThat(watch).isNotNull();
            LeaderView view = seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS).orElseThrow();
            assertThat(view.term()).isEqualTo(term);
            leader.close();
            assertThat(seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void pairsTheCallsOfEachTermAndLetsTermsGrowWhateverHappens() throws InterruptedException {
        List<RecordedTerms> all = new ArrayList<>();
        List<Election> elections = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            RecordedTerms terms = new RecordedTerms();
            all.add(terms);
            elections.add(join("candidate " + i, SHORT_TTL, terms));
        }
        @Nullable FencingToken last = null;
        for (int round = 0; round < 6; round++) {
            Leadership term = awaitLeader(elections, last);
            last = term.term();
            if (round % 2 == 0) {
                term.stepDown();
            } else {
                LockBackend other = fixture.open();
                other.lookup(elections.get(0).key()).ifPresent(record -> {
                    Grant grant = record.raw();
                    other.release(grant.key(), grant.lockId());
                });
            }
        }
        elections.forEach(Election::close);

        for (RecordedTerms terms : all) {
            List<RecordedTerms.Call> calls = terms.all();
            assertThat(calls.size() % 2).isZero();
            for (int i = 0; i < calls.size(); i += 2) {
                assertThat(calls.get(i).revoked()).isEmpty();
                assertThat(calls.get(i + 1).revoked()).isPresent();
                assertThat(calls.get(i + 1).term()).isSameAs(calls.get(i).term());
            }
            assertThat(calls.stream().map(call -> call.term().term().value()).toList())
                    .isSorted();
        }
    }

    private Leadership awaitLeader(List<Election> elections, @Nullable FencingToken last) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() < end) {
            for (Election election : elections) {
                Optional<Leadership> term = election.leadership();
                if (term.isPresent() && (last == null || term.get().term().isNewerThan(last))) {
                    return term.get();
                }
            }
            locks.time().delays().park(TimeUnit.MILLISECONDS.toNanos(5));
        }
        throw new AssertionError("no leader within " + PATIENCE_SECONDS + " s");
    }

    private Election join(String name, LeadershipListener listener) {
        return join(name, TTL, listener);
    }

    private Election join(String name, Duration ttl, LeadershipListener listener) {
        return opened(Election.of(newLocks(), GROUP)
                .candidate(Candidate.of(name))
                .ttl(ttl)
                .join(listener));
    }

    private Election claiming(String name, MemoryFenceGuard guard, LeadershipListener listener) {
        return opened(Election.of(newLocks(), GROUP)
                .candidate(Candidate.of(name))
                .ttl(TTL)
                .claims(guard, "orders", "invoices")
                .join(listener));
    }

    private Locks newLocks() {
        return opened(Locks.over(fixture.open()));
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }
}
