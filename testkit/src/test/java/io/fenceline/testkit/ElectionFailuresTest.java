package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.Verdict;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Candidates outlive whatever their store, guard, driver or logger throws. */
class ElectionFailuresTest extends ElectionOnManualTime {

    @Test
    void aClaimThatFailsInWhateverWayLetsTheOthersInAndIsMadeAgainLater() throws InterruptedException {
        AtomicInteger claims = new AtomicInteger();
        MemoryFenceGuard fences = new MemoryFenceGuard();
        FenceGuard guard = new FenceGuard() {
            @Override
            public void claim(String resource, FenceStamp stamp) {
                if (claims.incrementAndGet() == 1) {
                    throw new NoClassDefFoundError("a fault of the guard (thrown by the test)");
                }
                fences.claim(resource, stamp);
            }

            @Override
            public Verdict check(String resource, FenceStamp stamp) {
                return fences.check(resource, stamp);
            }

            @Override
            public Optional<FenceStamp> highest(String resource) {
                return fences.highest(resource);
            }
        };
        MemoryLockBackend others = new MemoryLockBackend(store);
        Election election =
                Election.of(locks, "billing").claims(guard, "orders").join(terms);

        await().until(() -> claims.get() == 1 && !others.isLocked(KEY));
        advanceUntilThereIsNews();
        assertThat(terms.awaitElected().term()).isEqualTo(FencingToken.of(2));
        election.close();
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new NoClassDefFoundError("a fault of the driver (thrown by the test)"),
                new IllegalStateException("no data source for the key, as a routing one says it (thrown by the test)"),
                new IOException("a checked one that nothing declares, as from Kotlin (thrown by the test)"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aCandidateOutlivesAStoreThatFailsInWhateverWay(Throwable failure) throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        LockBackend broken = new ForwardingLockBackend(new MemoryLockBackend(store)) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                if (attempts.incrementAndGet() == 1) {
                    throw ElectionFailuresTest.<RuntimeException>undeclared(failure);
                }
                return super.acquire(request);
            }
        };
        try (Locks fragile = Locks.builder(broken).time(time.source()).build()) {
            Election election = Election.join(fragile, "billing", Candidate.of("node-1"), terms);
            advanceUntilThereIsNews();
            assertThat(terms.awaitElected().term()).isEqualTo(FencingToken.of(1));
            assertThat(attempts).hasValueGreaterThan(1);
            election.close();
        }
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> X undeclared(Throwable failure) throws X {
        throw (X) failure;
    }

    @Test
    void aLoggerThatFailsEndsNoCandidacy() throws InterruptedException {
        Logger logger = Logger.getLogger("io.fenceline");
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord message) {
                throw new IllegalStateException("no log (thrown by the test)");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        AtomicInteger calls = new AtomicInteger();
        LeadershipListener failing = new LeadershipListener() {
            @Override
            public void onElected(Leadership leadership) {
                terms.onElected(leadership);
                if (calls.incrementAndGet() == 1) {
                    throw new IllegalStateException("cannot lead (thrown by the test)");
                }
            }

            @Override
            public void onRevoked(Leadership leadership, RevocationReason reason) {
                terms.onRevoked(leadership, reason);
            }
        };
        MemoryLockBackend others = new MemoryLockBackend(store);
        logger.addHandler(broken);
        try {
            Election election = Election.join(locks, "billing", Candidate.of("node-1"), failing);
            terms.awaitElected();
            assertThat(terms.awaitRevoked()).isEqualTo(RevocationReason.LISTENER_FAILED);
            await().until(() -> !others.isLocked(KEY));
            advanceUntilThereIsNews();
            assertThat(terms.awaitElected().isLeading()).isTrue();
            election.close();
        } finally {
            logger.removeHandler(broken);
        }
    }
}
