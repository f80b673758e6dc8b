package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.internal.syncguard.DisplayHash;
import io.fenceline.redis.SyncGuardPeer.Seen;
import io.fenceline.redis.SyncGuardPeer.Taken;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What we and SyncGuard's processes see of one another. */
abstract class SyncGuardInteropContract extends SyncGuardStore {

    private static final int CYCLES = Integer.getInteger("fenceline.syncguard.cycles", 25);

    static Stream<String> keys() {
        return Stream.of(
                "a",
                "a/b",
                "\"\\{}[]'",
                "a\nb\tc\u0001",
                "cafe\u0301",
                "\uD83D\uDD12",
                "fence:invoice:42",
                "id:short",
                ":",
                "null",
                "x".repeat(512),
                "\u65e5".repeat(170));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void theirLockIsRefusedSeenExtendedAndReleasedByUs(String key) {
        Taken taken = theirs.acquire(key, 30_000).orElseThrow();
        LockKey name = LockKey.of(key);
        LockId lockId = LockId.parse(taken.lockId());

        Contended refused = (Contended) ours.acquire(request(key));
        LockRecord record = ours.lookup(name).orElseThrow();
        assertThat(refused.remaining()).isBetween(Duration.ofSeconds(10), TTL);
        assertThat(refused.holder()).isEmpty();
        assertThat(ours.isLocked(name)).isTrue();
        assertThat(record.raw().lockId()).isEqualTo(lockId);
        assertThat(record.token().text()).isEqualTo(taken.fence());
        assertThat(record.expiresAt()).isEqualTo(Instant.ofEpochMilli(taken.expiresAtMs()));
        assertThat(ours.lookup(lockId).orElseThrow().raw()).isEqualTo(record.raw());
        assertThat(record.raw().key()).isEqualTo(name);

        Instant end = ours.extend(name, lockId, LONGER).orElseThrow();
        assertThat(theirs.lookupId(taken.lockId()).orElseThrow().expiresAtMs()).isEqualTo(end.toEpochMilli());

        assertThat(ours.release(name, lockId)).isTrue();
        assertThat(theirs.isLocked(key)).isFalse();
        assertThat(theirs.release(taken.lockId())).isFalse();
    }

    @ParameterizedTest
    @MethodSource("keys")
    void ourLockIsRefusedSeenExtendedAndReleasedByThem(String key) {
        Grant grant = take(key);
        String lockId = grant.lockId().text();

        assertThat(theirs.acquire(key, 30_000)).isEmpty();
        assertThat(theirs.isLocked(key)).isTrue();
        Seen seen = theirs.lookupKey(key).orElseThrow();
        assertThat(theirs.lookupId(lockId)).contains(seen);
        assertThat(seen)
                .isEqualTo(new Seen(
                        DisplayHash.of(key),
                        DisplayHash.of(lockId),
                        grant.expiresAt().toEpochMilli(),
                        grant.acquiredAt().toEpochMilli(),
                        grant.token().text()));

        long end = theirs.extend(lockId, LONGER.toMillis()).orElseThrow();
        LockRecord record = ours.lookup(grant.key()).orElseThrow();
        assertThat(record.expiresAt()).isEqualTo(Instant.ofEpochMilli(end));
        assertThat(record.holder()).isEqualTo(HOLDER);
        assertThat(record.acquiredAt()).isEqualTo(grant.acquiredAt());

        assertThat(theirs.release(lockId)).isTrue();
        assertThat(ours.isLocked(grant.key())).isFalse();
        assertThat(ours.extend(grant.key(), grant.lockId(), TTL)).isEmpty();
        assertThat(ours.release(grant.key(), grant.lockId())).isFalse();
    }

    @Test
    void theirRecordIsWhatWeTakeItFor() {
        Taken taken = theirs.acquire(KEY, 30_000).orElseThrow();
        Seen seen = theirs.lookupKey(KEY).orElseThrow();

        SyncGuardJson.assertConsistsOf(
                server.call("GET", "syncguard:" + KEY),
                SyncGuardJson.text("lockId", taken.lockId()),
                SyncGuardJson.number("expiresAtMs", taken.expiresAtMs()),
                SyncGuardJson.number("acquiredAtMs", seen.acquiredAtMs()),
                SyncGuardJson.text("key", "orders\\/42:café"),
                SyncGuardJson.text("fence", "000000000000001"));
        assertThat(server.call("GET", "syncguard:id:" + taken.lockId())).isEqualTo("syncguard:" + KEY);
        assertThat(server.call("GET", "syncguard:fence:syncguard:" + KEY)).isEqualTo("1");
        assertThat(server.call("DBSIZE")).isEqualTo(3L);
    }

    @Test
    void tokensAreCountedTogether() {
        List<String> fences = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Grant grant = take(KEY);
            fences.add(grant.token().text());
            ours.release(grant.key(), grant.lockId());
            Taken taken = theirs.acquire(KEY, 30_000).orElseThrow();
            fences.add(taken.fence());
            theirs.release(taken.lockId());
        }

        assertThat(fences)
                .containsExactly(
                        "000000000000001",
                        "000000000000002",
                        "000000000000003",
                        "000000000000004",
                        "000000000000005",
                        "000000000000006");
    }

    @Test
    void aBlockOfTokensIsCountedByThem() {
        Grant block = granted(
                ours.acquire(new AcquireRequest(LockKey.of(KEY), LockId.random(), TTL, HOLDER, 10, Duration.ZERO)));
        assertThat(theirs.extend(block.lockId().text(), LONGER.toMillis())).isPresent();
        Grant seen = ours.lookup(block.key()).orElseThrow().raw();
        assertThat(theirs.release(block.lockId().text())).isTrue();

        assertThat(seen.tokens()).isEqualTo(10);
        assertThat(seen.lastToken()).isEqualTo(FencingToken.of(10));
        assertThat(theirs.acquire(KEY, 30_000).orElseThrow().fence()).isEqualTo("000000000000011");
    }

    @Test
    void whatAnOperatorDoesIsSeenByThem() {
        LockCatalog catalog = ours.ability(LockCatalog.class).orElseThrow();
        Taken taken = theirs.acquire(KEY, 30_000).orElseThrow();

        assertThat(catalog.list("orders/", 10))
                .extracting(record -> record.raw().lockId().text())
                .containsExactly(taken.lockId());
        assertThat(catalog.list("orders/", 10).get(0).holder()).isEqualTo(Holder.of("SyncGuard"));
        assertThat(catalog.forceRelease(LockKey.of(KEY), HOLDER)).isPresent();
        assertThat(theirs.extend(taken.lockId(), 30_000)).isEmpty();
        assertThat(theirs.lookupId(taken.lockId())).isEmpty();
        catalog.raiseToken(LockKey.of(KEY), FencingToken.of(1000), HOLDER);

        assertThat(theirs.acquire(KEY, 30_000).orElseThrow().fence()).isEqualTo("000000000001001");
    }

    @Test
    void anAttemptOfOursIsRepeatedThoughTheyHaveExtendedTheLease() {
        AcquireRequest request = request(KEY);
        Grant first = granted(ours.acquire(request));
        theirs.extend(first.lockId().text(), LONGER.toMillis());

        Grant again = granted(ours.acquire(request));

        assertThat(again.token()).isEqualTo(first.token());
        assertThat(again.holder()).isEqualTo(HOLDER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLockThatExpiredIsTheOthersToTake(boolean theirsFirst) {
        long ttl = 100;
        if (theirsFirst) {
            assertThat(theirs.acquire(KEY, ttl)).isPresent();
        } else {
            granted(ours.acquire(AcquireRequest.of(LockKey.of(KEY), LockId.random(), Duration.ofMillis(ttl), HOLDER)));
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> !ours.isLocked(LockKey.of(KEY)) && !theirs.isLocked(KEY));

        String second = theirsFirst
                ? take(KEY).token().text()
                : theirs.acquire(KEY, ttl).orElseThrow().fence();

        assertThat(second).isEqualTo("000000000000002");
    }

    @Test
    void aWaiterOfOursGetsWhatTheyRelease() throws Exception {
        Taken taken = theirs.acquire(KEY, 30_000).orElseThrow();
        AtomicInteger refusals = new AtomicInteger();
        LockBackend counted = new ForwardingLockBackend(ours) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                Acquisition outcome = super.acquire(request);
                refusals.addAndGet(outcome instanceof Contended ? 1 : 0);
                return outcome;
            }
        };
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Locks locks = Locks.over(counted)) {
            Future<Lease> waiting = thread.submit(
                    () -> locks.acquire(KEY, LockOptions.defaults().withMaxWait(Duration.ofSeconds(20))));
            await().atMost(Duration.ofSeconds(10)).until(() -> refusals.get() > 0);
            assertThat(theirs.release(taken.lockId())).isTrue();

            try (Lease lease = waiting.get()) {
                assertThat(lease.token()).isEqualTo(FencingToken.of(2));
                assertThat(theirs.acquire(KEY, 30_000)).isEmpty();
            }
            assertThat(theirs.isLocked(KEY)).isFalse();
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void ofUsAndThemOneHoldsALockAtATime() throws Exception {
        ConcurrentLinkedQueue<Long> fences = new ConcurrentLinkedQueue<>();
        AtomicInteger inside = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        List<SyncGuardPeer> peers = new ArrayList<>();
        try {
            List<Future<?>> racers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                SyncGuardPeer peer = open(server.port(), "syncguard");
                peers.add(peer);
                racers.add(threads.submit(() -> repeat(() -> cycle(inside, fences))));
                racers.add(threads.submit(() -> repeat(() -> cycle(peer, inside, fences))));
            }
            for (Future<?> racer : racers) {
                racer.get();
            }
        } finally {
            threads.shutdownNow();
            peers.forEach(SyncGuardPeer::close);
        }

        assertThat(List.copyOf(fences)).isSorted().doesNotHaveDuplicates().hasSize(6 * CYCLES);
    }

    private static int repeat(BooleanSupplier cycle) throws InterruptedException {
        for (int done = 0; done < CYCLES; ) {
            done += cycle.getAsBoolean() ? 1 : 0;
            Delays.system().park(200_000);
        }
        return CYCLES;
    }

    private boolean cycle(AtomicInteger inside, ConcurrentLinkedQueue<Long> fences) {
        Acquisition outcome = ours.acquire(request(KEY));
        if (outcome instanceof Granted granted) {
            enter(inside, fences, granted.grant().token().value());
            assertThat(ours.release(LockKey.of(KEY), granted.grant().lockId())).isTrue();
        }
        return outcome instanceof Granted;
    }

    private static boolean cycle(SyncGuardPeer peer, AtomicInteger inside, ConcurrentLinkedQueue<Long> fences) {
        Optional<Taken> taken = peer.acquire(KEY, 30_000);
        taken.ifPresent(mine -> {
            enter(inside, fences, Long.parseLong(mine.fence()));
            assertThat(peer.release(mine.lockId())).isTrue();
        });
        return taken.isPresent();
    }

    private static void enter(AtomicInteger inside, ConcurrentLinkedQueue<Long> fences, long fence) {
        assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
        fences.add(fence);
        inside.decrementAndGet();
    }
}
