package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks of ours and of SyncGuard's processes in one database, as the other side sees them. */
@NeedsFirestore
class SyncGuardDocumentsTest extends SharedDocuments {

    @Test
    void ourDocumentsAreAsTheReferenceSays() throws Exception {
        Grant grant = take(LockKey.of("cafe\u0301"));

        assertThat(document(fixture.locks(), "caf\u00e9"))
                .isEqualTo(Map.of(
                        "lockId", grant.lockId().text(),
                        "expiresAtMs", grant.acquiredAt().plus(TTL).toEpochMilli(),
                        "acquiredAtMs", grant.acquiredAt().toEpochMilli(),
                        "key", "caf\u00e9",
                        "fence", "000000000000001"));
        assertThat(document(fixture.fences(), "fence:caf\u00e9"))
                .isEqualTo(Map.of("fence", "000000000000001", "keyDebug", "caf\u00e9"));
    }

    @Test
    @Tag("G1")
    @Tag("G6")
    void whatWeHoldTheyAreRefusedAndSeeAndExtendAndRelease() throws Exception {
        Grant grant = take(KEY);
        String lockId = grant.lockId().text();

        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 1_000)).isEmpty();
        assertThat(theirs.isLocked(KEY.value())).isTrue();
        assertThat(theirs.extend(lockId, 2 * TTL.toMillis())).isTrue();
        assertThat(ours.lookup(KEY).orElseThrow().expiresAt()).isAfter(grant.expiresAt());
        assertThat(theirs.release(lockId)).isTrue();

        assertThat(ours.isLocked(KEY)).isFalse();
        assertThat(ours.release(KEY, grant.lockId())).isFalse();
    }

    @Test
    @Tag("G1")
    @Tag("G6")
    void whatWeKeepAfterOurWorkTheyAreRefused() throws Exception {
        Grant grant = take(KEY);

        assertThat(ours.releaseAfter(KEY, grant.lockId(), TTL.dividedBy(2))).isTrue();

        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 1_000)).isEmpty();
        assertThat(theirs.isLocked(KEY.value())).isTrue();
        assertThat(ours.lookup(KEY).orElseThrow().expiresAt()).isBefore(grant.expiresAt());
    }

    @Test
    @Tag("G1")
    @Tag("G6")
    void whatTheyHoldWeAreRefusedAndSeeAndExtendAndRelease() throws Exception {
        LockId lockId = LockId.random();
        assertThat(theirs.acquire(KEY.value(), lockId.text(), TTL.toMillis())).contains("000000000000001");

        Contended refusal = (Contended) acquire(KEY);
        assertThat(refusal.remaining()).isBetween(TTL.minusMinutes(1), TTL.plusSeconds(10));
        assertThat(ours.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(lockId);
        assertThat(ours.lookup(lockId).orElseThrow().token().value()).isEqualTo(1);
        assertThat(ours.extend(KEY, lockId, TTL.multipliedBy(2))).isPresent();
        assertThat(ours.release(KEY, lockId)).isTrue();

        assertThat(theirs.isLocked(KEY.value())).isFalse();
        assertThat(theirs.release(lockId.text())).isFalse();
    }

    @Test
    @Tag("G2")
    void oneCounterServesBothAlsoWhenADeadDocumentIsTakenOver() throws Exception {
        Grant first = take(KEY);
        assertThat(ours.release(KEY, first.lockId())).isTrue();
        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 60_000)).contains("000000000000002");
        fixture.passTime(Duration.ofMinutes(2));

        ours.acquire(new AcquireRequest(KEY, LockId.random(), TTL, Holder.of("us"), 10, Duration.ZERO));
        SyncGuardPeer later = peer(Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));

        assertThat(later.acquire(KEY.value(), LockId.random().text(), 60_000)).contains("000000000000013");
        assertThat(document(fixture.locks(), KEY.value())).hasSize(5);
    }

    @Test
    @Tag("G1")
    void bothRaceForOneLockAndSpendEachTokenOnce() throws Exception {
        int cycles = Integer.getInteger("fenceline.firestore.cycles", 3);
        List<String> tokens = Collections.synchronizedList(new ArrayList<>());
        List<Callable<Void>> racers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            racers.add(() -> ourCycles(cycles, tokens));
            racers.add(() -> theirCycles(cycles, tokens));
        }
        ExecutorService threads = Executors.newFixedThreadPool(racers.size());
        try {
            for (Future<Void> end : threads.invokeAll(racers)) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(tokens)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, racers.size() * cycles)
                        .mapToObj("%015d"::formatted)
                        .toList());
    }

    private Void ourCycles(int cycles, List<String> tokens) {
        for (int left = cycles; left > 0; ) {
            if (tried() instanceof Granted granted) {
                tokens.add(granted.grant().token().text());
                left--;
                while (ours.lookup(granted.grant().lockId()).isPresent()) {
                    released(granted.grant());
                }
            }
        }
        return null;
    }

    /** A transaction of SyncGuard's may be in the way for longer than the store waits. */
    private Acquisition tried() {
        try {
            return acquire(KEY);
        } catch (BackendException inTheWay) {
            assertThat(inTheWay.code().isTransient()).isTrue();
            return new Contended(Duration.ZERO, Optional.empty());
        }
    }

    private void released(Grant grant) {
        try {
            ours.release(KEY, grant.lockId());
        } catch (BackendException inTheWay) {
            assertThat(inTheWay.code().isTransient()).isTrue();
        }
    }

    private Void theirCycles(int cycles, List<String> tokens) throws Exception {
        for (int left = cycles; left > 0; ) {
            String lockId = LockId.random().text();
            Optional<String> token = patiently(() -> theirs.acquire(KEY.value(), lockId, TTL.toMillis()))
                    .orElse(Optional.empty());
            if (token.isPresent()) {
                tokens.add(token.get());
                left--;
                while (patiently(() -> theirs.release(lockId)).isEmpty()) {
                    Thread.onSpinWait();
                }
            }
        }
        return null;
    }

    /** Their transactions are in each other's way as well; empty if the store gave one up, which then changed nothing. */
    private static <T> Optional<T> patiently(Callable<T> transaction) throws Exception {
        try {
            return Optional.of(transaction.call());
        } catch (ExecutionException e) {
            assertThat(e).hasStackTraceContaining("ABORTED");
            return Optional.empty();
        }
    }

    @Test
    void ourWaitersAreToldOfTheirReleases() throws Exception {
        LockId lockId = LockId.random();
        theirs.acquire(KEY.value(), lockId.text(), TTL.toMillis());
        CountDownLatch told = new CountDownLatch(1);
        try (ReleaseSignals.Subscription waiting = ours.ability(ReleaseSignals.class)
                .orElseThrow()
                .subscribe(KEY, LockId.random(), signal -> told.countDown())) {
            assertThat(waiting).isNotNull();

            assertThat(theirs.release(lockId.text())).isTrue();

            assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theStoreIsExamined() {
        assertThat(ours.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                .noneMatch(finding -> finding.severity() == Severity.PROBLEM)
                .anyMatch(finding -> finding.subject().equals("clock"))
                .anyMatch(finding -> finding.subject().equals("index of lockId"));
    }
}
