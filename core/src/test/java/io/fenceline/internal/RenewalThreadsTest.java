package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** L3: which renewals run at a time, and in what order, when the store does not answer. */
@Timeout(120)
@Tag("L3")
class RenewalThreadsTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    /** Within which no call turns out to be slow. */
    private static final Duration NEVER = Duration.ofHours(1);

    private static final Duration AT_ONCE = Duration.ofNanos(1);

    private static final Set<Thread.State> AT_REST =
            EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);

    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<String> begun = new CopyOnWriteArrayList<>();
    private final Semaphore answers = new Semaphore(0);
    private EngineOnManualTime bench;
    private RenewalThreads renewals;

    private void given(Duration slow) {
        ThreadFactory daemons = task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        };
        renewals = new RenewalThreads(daemons, slow);
        bench = new EngineOnManualTime(EngineOnManualTime.threads(renewals));
        bench.beforeExtension = key -> {
            begun.add(key.value());
            answers.acquireUninterruptibly();
        };
    }

    @AfterEach
    void answerAll() {
        answers.release(10_000);
        bench.close();
    }

    @Test
    void noMoreThanEightCallsRunWhileNoneIsSlow() {
        given(NEVER);
        start("key", 20);
        awaitBegun(RenewalThreads.MAX_QUICK);
        awaitQuiet();
        assertThat(begun).hasSize(RenewalThreads.MAX_QUICK);

        answers.release();

        awaitBegun(RenewalThreads.MAX_QUICK + 1);
        awaitQuiet();
        assertThat(begun).hasSize(RenewalThreads.MAX_QUICK + 1);
    }

    @Test
    void aCallThatIsSlowMakesRoomForTheNextButNotBefore() {
        assertThat(RenewalThreads.SLOW).as("what L3 promises").isEqualTo(Duration.ofMillis(50));
        Duration slow = Duration.ofMillis(500); // a busy machine takes 50 ms to start the threads
        given(slow);
        long began = System.nanoTime();

        start("key", RenewalThreads.MAX_QUICK + 1);
        awaitBegun(RenewalThreads.MAX_QUICK + 1);

        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(slow.toNanos());
    }

    @Test
    void noMoreCallsHangAtATimeThanThereMayBeThreads() {
        given(AT_ONCE);

        start("key", RenewalThreads.MAX_THREADS + 20);
        awaitBegun(RenewalThreads.MAX_THREADS);
        awaitQuiet();

        assertThat(begun).hasSize(RenewalThreads.MAX_THREADS);
        assertThat(threads).hasSize(RenewalThreads.MAX_THREADS);
    }

    @Test
    void leasesWhoseRenewalFailedComeLastAndBothKindsByTheirDeadlines() {
        given(NEVER);
        HeldLease failedLater = failed("failed, later", TTL.plusSeconds(2));
        HeldLease failed = failed("failed", TTL);
        start("blocking", RenewalThreads.MAX_QUICK);
        awaitBegun(RenewalThreads.MAX_QUICK);
        begun.clear();

        renewals.start(failedLater);
        renewals.start(failed);
        renewals.start(bench.acquire("later", TTL.multipliedBy(4)));
        renewals.start(bench.acquire("soon", TTL.multipliedBy(2)));
        renewals.start(bench.acquire("next", TTL.multipliedBy(3)));
        answers.release();
        for (int i = 1; i <= 5; i++) {
            awaitBegun(i);
            answers.release();
        }

        assertThat(begun).containsExactly("soon", "next", "later", "failed", "failed, later");
    }

    /** However many retries hang, there are threads for leases whose renewals did not fail. */
    @Test
    void leasesWhoseRenewalFailedNeverUseAllThreads() {
        given(AT_ONCE);
        List<HeldLease> failed = new ArrayList<>();
        for (int i = 0; i < RenewalThreads.MAX_THREADS + 20; i++) {
            failed.add(failed("failed " + i, TTL));
        }
        failed.forEach(renewals::start);
        awaitBegun(RenewalThreads.MAX_RETRIES);
        awaitQuiet();
        assertThat(begun).hasSize(RenewalThreads.MAX_RETRIES);

        start("other", 10);
        awaitBegun(RenewalThreads.MAX_RETRIES + 10);
        awaitQuiet();
        assertThat(begun).hasSize(RenewalThreads.MAX_RETRIES + 10);

        answers.release(RenewalThreads.MAX_RETRIES + 10);
        awaitBegun(failed.size() + 10);
    }

    private void start(String name, int count) {
        for (int i = 0; i < count; i++) {
            renewals.start(bench.acquire(name + " " + i, TTL));
        }
    }

    /** Returns a lease whose last renewal failed. */
    private HeldLease failed(String name, Duration ttl) {
        HeldLease lease = bench.acquire(name, ttl);
        var hanging = bench.beforeExtension;
        bench.beforeExtension = key -> {
            throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "thrown by the test", null);
        };
        lease.extensions().renew();
        bench.beforeExtension = hanging;
        assertThat(lease.hasFailedLastRenewal()).isTrue();
        return lease;
    }

    private void awaitBegun(int count) {
        EngineOnManualTime.await(count + " calls", () -> begun.size() >= count);
    }

    /** Waits until every thread hangs in a call, waits for work or has ended. */
    private void awaitQuiet() {
        EngineOnManualTime.await(
                "rest", () -> threads.stream().map(Thread::getState).allMatch(AT_REST::contains));
    }
}
