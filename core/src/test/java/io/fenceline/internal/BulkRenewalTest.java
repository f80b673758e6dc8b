package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockOptions;
import io.fenceline.LossReason;
import io.fenceline.spi.BulkExtension.Extension;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** L3, where the backend extends in bulk: leases that wait for a renewal thread are renewed in one request. */
@Timeout(120)
@Tag("L3")
class BulkRenewalTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration BEFORE_A_RENEWAL = Duration.ofSeconds(9);

    private final List<Integer> sizes = new CopyOnWriteArrayList<>();
    private final Semaphore answers = new Semaphore(0);
    private final RenewalThreads renewals = new RenewalThreads(
            task -> {
                Thread thread = new Thread(task);
                thread.setDaemon(true);
                return thread;
            },
            Duration.ofHours(1));
    private volatile Consumer<List<Extension>> beforeBulk = extensions -> sizes.add(extensions.size());
    private final EngineOnManualTime bench =
            new EngineOnManualTime(EngineOnManualTime.threads(renewals), extensions -> beforeBulk.accept(extensions));

    @AfterEach
    void close() {
        answers.release(10_000);
        bench.close();
    }

    private List<HeldLease> acquire(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> bench.acquire(name + " " + i, TTL))
                .toList();
    }

    @Test
    void leasesThatWaitForAThreadGoTogether() {
        beforeBulk = extensions -> {
            sizes.add(extensions.size());
            answers.acquireUninterruptibly();
        };
        for (int i = 1; i <= RenewalThreads.MAX_QUICK; i++) {
            int calls = i;
            renewals.start(bench.acquire("blocking " + i, TTL));
            EngineOnManualTime.await("a thread in a call", () -> answers.getQueueLength() == calls);
        }
        List<HeldLease> waiting = acquire("waiting", RenewalThreads.MAX_BULK + 20);
        waiting.forEach(renewals::start);

        beforeBulk = extensions -> sizes.add(extensions.size());
        answers.release();

        EngineOnManualTime.await("renewals", () -> bench.count(LockEvent.Renewed.class) == 1 + waiting.size());
        assertThat(sizes).contains(RenewalThreads.MAX_BULK).allMatch(size -> size <= RenewalThreads.MAX_BULK);
        assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(RenewalThreads.MAX_QUICK + waiting.size());
    }

    @Test
    void eachLeaseGetsItsOwnReply() {
        List<HeldLease> leases = acquire("key", 3);
        bench.pass(BEFORE_A_RENEWAL);
        bench.release(leases.get(1));

        renewAll(leases);

        assertThat(sizes).containsExactly(3);
        assertThat(leases.get(0).remaining())
                .isEqualTo(leases.get(2).remaining())
                .isGreaterThan(TTL.minus(BEFORE_A_RENEWAL));
        assertThat(leases.get(1).isHeld()).isFalse();
        assertThat(bench.heard)
                .filteredOn(LockEvent.Lost.class::isInstance)
                .containsExactly(new LockEvent.Lost(leases.get(1).stamp(), LossReason.REFUSED_BY_BACKEND));
    }

    @Test
    void aFailureIsOneOfEachLeaseAndTheyAreRetriedAlone() {
        List<HeldLease> leases = acquire("key", 3);
        beforeBulk = extensions -> {
            throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "thrown by the test", null);
        };

        renewAll(leases);
        assertThat(leases).allMatch(HeldLease::hasFailedLastRenewal).allMatch(HeldLease::isHeld);
        assertThat(bench.count(LockEvent.RenewalFailed.class)).isEqualTo(3);

        beforeBulk = extensions -> sizes.add(extensions.size());
        leases.forEach(renewals::start);
        EngineOnManualTime.await("renewals", () -> bench.count(LockEvent.Renewed.class) == 3);
        assertThat(leases).noneMatch(HeldLease::hasFailedLastRenewal);
        assertThat(sizes).containsOnly(1);
    }

    /** A lease whose row somebody keeps locked costs no other one, and no connection for long: {@code extend} would wait for it. */
    @Test
    @Tag("G11")
    void aLeaseThatCannotBeExtendedFailsAlone() {
        List<HeldLease> leases = acquire("key", 3);
        bench.lockedRow = leases.get(1).key()::equals;
        bench.pass(BEFORE_A_RENEWAL);

        renewAll(leases);
        renewAll(leases.subList(1, 2));

        assertThat(sizes).containsExactly(3, 1);
        assertThat(leases).allMatch(HeldLease::isHeld);
        assertThat(bench.count(LockEvent.Renewed.class)).isEqualTo(2);
        assertThat(bench.count(LockEvent.RenewalFailed.class)).isEqualTo(2);
    }

    /** An error in a driver costs no lease, and no later renewal. */
    @Test
    void anErrorIsAFailureToo() {
        List<HeldLease> leases = acquire("key", 2);
        beforeBulk = extensions -> {
            throw new AssertionError("thrown by the test");
        };

        renewAll(leases);
        assertThat(leases).allMatch(HeldLease::hasFailedLastRenewal).allMatch(HeldLease::isHeld);

        beforeBulk = extensions -> {};
        renewAll(leases);
        assertThat(leases).noneMatch(HeldLease::hasFailedLastRenewal);
    }

    @Test
    void aLeaseThatHasEndedIsNotSent() {
        List<HeldLease> leases = acquire("key", 3);
        leases.get(2).release();

        renewAll(leases);

        assertThat(sizes).containsExactly(2);
        assertThat(bench.isFree("key 2")).isTrue();
    }

    @Test
    void aReplyAfterTheEndOfALeaseIsUndone() {
        List<HeldLease> leases = acquire("key", 2);
        beforeBulk = extensions -> bench.pass(TTL.minusMillis(1));

        renewAll(leases);

        assertThat(leases).noneMatch(HeldLease::isHeld);
        assertThat(bench.isFree("key 0")).isTrue();
        assertThat(bench.isFree("key 1")).isTrue();
    }

    /** When the store extended them nobody knows, but not before it was asked. */
    @Test
    @Tag("L1")
    void theLeasesCountFromBeforeTheRequest() {
        List<HeldLease> leases = acquire("key", 2);
        beforeBulk = extensions -> bench.pass(Duration.ofSeconds(5));

        renewAll(leases);

        Duration counted = TTL.minus(LockOptions.defaults().withTtl(TTL).marginOf(TTL));
        assertThat(leases).extracting(HeldLease::remaining).containsOnly(counted.minusSeconds(5));
    }

    /** The holder's own extension may hang. The other leases do not wait for it. */
    @Test
    void aLeaseThatItsHolderExtendsIsRenewedByItself() {
        List<HeldLease> leases = new ArrayList<>(acquire("key", 3));
        bench.beforeExtension = key -> answers.acquireUninterruptibly();
        Executor ownThread = task -> new Thread(task).start();
        CompletableFuture<Void> extending =
                CompletableFuture.runAsync(() -> leases.get(0).extend(TTL), ownThread);
        EngineOnManualTime.await("an extension", answers::hasQueuedThreads);

        CompletableFuture<Void> renewing = CompletableFuture.runAsync(() -> renewAll(leases), ownThread);
        EngineOnManualTime.await("the others", () -> bench.count(LockEvent.Renewed.class) == 2);
        assertThat(sizes).containsExactly(2);

        answers.release(2);
        extending.join();
        renewing.join();
        assertThat(bench.count(LockEvent.Renewed.class)).isEqualTo(3);
    }

    private static void renewAll(List<HeldLease> leases) {
        Extensions.renewAll(leases.stream().map(HeldLease::extensions).toList());
    }
}
