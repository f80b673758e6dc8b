package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.StoreHealth;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.sharding.ShardedLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.Succession;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which store has a key, and what happens to tokens when the set of stores changes. */
class ShardedLockBackendTest extends ShardedStores {

    @Test
    void keysAreSpreadAndOnlyThoseThatMustMoveDo() {
        ShardedLockBackend three = open(1, "a", "b", "c");
        ShardedLockBackend four = open(2, "a", "b", "c", "d");
        List<LockKey> keys = keys(3000);

        Map<String, Long> counts =
                keys.stream().collect(Collectors.groupingBy(three::storeOf, TreeMap::new, Collectors.counting()));
        assertThat(counts.keySet()).containsExactly("a", "b", "c");
        assertThat(counts.values()).allMatch(count -> count > 850 && count < 1150);

        List<LockKey> moved = keys.stream()
                .filter(key -> !three.storeOf(key).equals(four.storeOf(key)))
                .toList();
        assertThat(moved)
                .hasSizeBetween(600, 900)
                .allMatch(key -> four.storeOf(key).equals("d"));
    }

    /** The documented rule, which clients in other languages repeat: a change would let two processes hold one key. */
    @Test
    void theRuleNeverChanges() {
        ShardedLockBackend three = open(1, "a", "b", "c");

        assertThat(keys(12))
                .extracting(three::storeOf)
                .containsExactly("c", "b", "c", "b", "a", "c", "c", "a", "a", "b", "b", "c");
        assertThat(three.storeOf(LockKey.of("größe"))).isEqualTo("a");
    }

    @Test
    void tokensOfCountersRiseWhenAKeyMovesAndWhenItMovesBack() throws InterruptedException {
        LockBackend first = open(1, "a", "b");
        Map<LockKey, FencingToken> last = new HashMap<>();
        for (LockKey key : keys(20)) {
            for (int i = 0; i < 5; i++) {
                last.put(key, cycle(first, key));
            }
        }

        for (LockBackend next : List.of(open(2, "a", "b", "c"), open(3, "a", "b"), open(4, "c", "d"))) {
            installed(next);
            for (LockKey key : keys(20)) {
                FencingToken token = cycle(next, key);
                assertThat(token).isGreaterThan(last.put(key, token));
            }
        }
    }

    /** So guards refuse it, also where the key stays on its store. Documented in docs/scaling.md. */
    @Test
    void aProcessOfAnOlderGenerationGetsSmallerTokensThanThoseOfTheNewer() throws InterruptedException {
        LockBackend old = open(1, "a", "b");
        cycle(old, LockKey.of("first"));
        LockBackend next = install(2, "a", "b", "c");

        for (LockKey key : keys(20)) {
            FencingToken newest = cycle(next, key);
            assertThat(cycle(old, key)).isLessThan(newest);
            assertThat(cycle(next, key)).isGreaterThan(newest);
        }
    }

    @Test
    void tokensOfAClockFloorFollowTheTime() throws InterruptedException {
        Map<LockKey, FencingToken> last = new HashMap<>();
        LockBackend first = open(1, TokenMode.CLOCK_FLOOR, "a", "b");
        for (LockKey key : keys(20)) {
            last.put(key, cycle(first, key));
        }
        time.advance(Duration.ofMillis(1));
        LockBackend second = open(2, TokenMode.CLOCK_FLOOR, "b", "c");
        installed(second);
        for (LockKey key : keys(20)) {
            assertThat(cycle(second, key)).isGreaterThan(last.get(key));
        }
    }

    @Test
    void storesThatMakeTokensInDifferentWaysAreNotCombined() {
        Map<String, LockBackend> mixed =
                Map.of("a", backend("a", TokenMode.COUNTER), "b", backend("b", TokenMode.CLOCK_FLOOR));

        ShardedLockBackend backend = ShardedLockBackend.over(1, mixed);
        assertThatThrownBy(() -> cycle(backend, LockKey.of("key")))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("'a' and 'b' make tokens in different ways");
        mixed.values()
                .forEach(store -> assertThat(store.lookup(LockKey.of("fenceline-shards/record")))
                        .isEmpty());
    }

    @Test
    void aLockThatIsHandedOverBySignalHasTheTokenOfItsGeneration() {
        AtomicReference<Consumer<Signal>> subscribed = new AtomicReference<>();
        LockBackend signalling = new ForwardingLockBackend(backend("a", TokenMode.COUNTER)) {
            @Override
            public <T> Optional<T> ability(Class<T> type) {
                ReleaseSignals signals = (key, waiter, listener) -> {
                    subscribed.set(listener);
                    return () -> {};
                };
                return type == ReleaseSignals.class ? Optional.of(type.cast(signals)) : super.ability(type);
            }
        };
        LockKey key = LockKey.of("key");
        Grant stored = new Grant(key, LockId.random(), OPERATOR, FencingToken.of(2), 1, Instant.EPOCH, Instant.MAX);
        List<Signal> heard = new ArrayList<>();
        ShardedLockBackend.over(3, Map.of("a", signalling))
                .ability(ReleaseSignals.class)
                .orElseThrow()
                .subscribe(key, stored.lockId(), heard::add);

        subscribed.get().accept(new Signal.HandedOver(stored));

        assertThat(heard)
                .singleElement()
                .isInstanceOfSatisfying(
                        Signal.HandedOver.class,
                        signal -> assertThat(signal.grant().token()).isEqualTo(FencingToken.of(3_000_000_000_002L)));
    }

    /** As SyncGuard's tables are. */
    @Test
    void storesThatDoNotKeepHoldersAreNotCombined() {
        LockBackend nameless = new ForwardingLockBackend(backend("a", TokenMode.COUNTER)) {
            @Override
            public Optional<LockRecord> lookup(LockKey key) {
                return super.lookup(key).map(record -> record.withGrant(nameless(record.raw())));
            }

            private static Grant nameless(Grant of) {
                Holder unknown = Holder.of("unknown");
                return new Grant(
                        of.key(), of.lockId(), unknown, of.token(), of.tokens(), of.acquiredAt(), of.expiresAt());
            }
        };

        ShardedLockBackend backend = ShardedLockBackend.over(1, Map.of("a", nameless));
        assertThatThrownBy(() -> cycle(backend, LockKey.of("key")))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("store 'a' does not keep the holders of locks");
        assertThat(nameless.lookup(LockKey.of("fenceline-shards/record"))).isEmpty();
    }

    @Test
    void operatorsSeeTheTokensThatHoldersGet() throws InterruptedException {
        ShardedLockBackend backend = open(7, "a", "b", "c");
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
        try (Locks locks = Locks.over(backend)) {
            for (LockKey key : keys(9)) {
                Lease lease = locks.acquire(key.value());
                assertThat(lease.token()).isEqualTo(FencingToken.of(7_000_000_000_001L));
                assertThat(backend.lookup(key).orElseThrow().token()).isEqualTo(lease.token());
                assertThat(backend.lookup(lease.grant().lockId()).orElseThrow().token())
                        .isEqualTo(lease.token());
                assertThat(catalog.lastToken(key)).contains(lease.token());
            }
        }
        assertThat(catalog.list("key", 5))
                .extracting(record -> record.raw().key())
                .isEqualTo(keys(5));
        assertThat(catalog.tokens("", "key 2", 3))
                .extracting(each -> each.key().value())
                .containsExactly("key 3", "key 4", "key 5");
        assertThat(catalog.tokens("", "", 100)).hasSize(9);

        LockKey key = LockKey.of("key 1");
        FencingToken raised = FencingToken.of(7_000_000_000_100L);
        assertThat(catalog.raiseToken(key, raised, OPERATOR)).isEqualTo(raised);
        assertThat(catalog.raiseToken(key, FencingToken.of(5), OPERATOR)).isEqualTo(raised);
        assertThatThrownBy(() -> catalog.raiseToken(key, FencingToken.of(9_000_000_000_000L), OPERATOR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("open them with generation 9");
        assertThat(catalog.forceRelease(key, OPERATOR).orElseThrow().token())
                .isEqualTo(FencingToken.of(7_000_000_000_001L));
        assertThat(cycle(backend, key)).isGreaterThan(raised);
    }

    @Test
    void aCounterThatLeavesItsGenerationIsRefused() {
        ShardedLockBackend backend = open(1, "a");
        LockKey key = LockKey.of("key");
        new MemoryLockBackend(stores.get("a")).raiseToken(key, FencingToken.of(1_000_000_000_000L), OPERATOR);

        assertThatThrownBy(() -> cycle(backend, key))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("beyond what a generation can count");
    }

    @Test
    void aBlockThatLeavesItsGenerationIsRefused() {
        ShardedLockBackend backend = open(1, "a");
        LockKey key = LockKey.of("key");
        new MemoryLockBackend(stores.get("a")).raiseToken(key, FencingToken.of(999_999_999_990L), OPERATOR);
        Duration limit = Duration.ofSeconds(1);
        AcquireRequest block = new AcquireRequest(key, LockId.random(), limit, OPERATOR, 32, limit, limit);

        assertThatThrownBy(() -> backend.acquire(block))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("beyond what a generation can count");
    }

    @Test
    void hasTheAbilitiesThatAllStoresHave() {
        assertThat(open(1, "a", "b").ability(SelfDiagnosis.class)).isEmpty();
        assertThat(open(1, "a", "b").ability(LockCatalog.class)).isPresent();
    }

    @Test
    void isUpIfEachStoreAnswersAndItsLocksCanBeTaken() throws Exception {
        StoreHealth older = StoreHealth.of(Locks.over(open(1, "a", "b")));
        cycle(open(1, "a", "b"), LockKey.of("key"));
        assertThat(older.check(TTL).isUp()).isTrue();
        StoreHealth unused = StoreHealth.of(Locks.over(open(2, "a", "b", "c")));
        assertThat(unused.check(TTL).problem().orElseThrow()).contains("has not followed yet");

        install(2, "a", "b", "c").close();

        assertThat(unused.check(TTL).isUp()).isTrue();
        assertThat(older.check(TTL).isUp()).as("its locks can still be taken").isTrue();
        AtomicBoolean isDown = new AtomicBoolean();
        LockBackend c = new ForwardingLockBackend(store("c")) {
            @Override
            public void ping() {
                if (isDown.get()) {
                    throw new BackendException(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "c is down", null);
                }
                super.ping();
            }
        };
        LockBackend decorated = new ForwardingLockBackend(
                ShardedLockBackend.over(2, Map.of("a", store("a"), "b", store("b"), "c", c))) {};
        StoreHealth now = StoreHealth.of(Locks.over(decorated));
        assertThat(now.check(TTL).isUp()).isTrue();
        isDown.set(true);
        assertThat(now.check(TTL).problem().orElseThrow()).contains("c is down");
    }

    @Test
    void isOpenedByUri() throws InterruptedException {
        try (Locks locks = Locks.open("sharded:1 a=memory: b=memory:");
                Lease lease = locks.acquire("key")) {
            assertThat(lease.token()).isEqualTo(FencingToken.of(1_000_000_000_001L));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sharded:",
                "sharded:1",
                "sharded:a=memory: b=memory:",
                "sharded:1 memory:",
                "sharded:1 a=memory: a=memory:",
                "sharded:90 a=memory:",
                "sharded:1 a,b=memory:",
                "sharded:1 a=memory: b=nothing:"
            })
    void aMalformedUriIsExplained(String uri) {
        assertThatThrownBy(() -> Backends.open(uri).close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "(?s).*(sharded:GENERATION NAME=URI|generation is 90|letters, digits|no backend for).*");
    }

    @Test
    void aLockThatIsHandedOnHasATokenOfItsGeneration() {
        LockBackend backend = open(3, "a", "b");
        LockKey key = LockKey.of("key");
        LockId first = LockId.random();
        Granted before = (Granted) backend.acquire(AcquireRequest.of(key, first, TTL, OPERATOR));

        Acquisition next = backend.ability(Succession.class)
                .orElseThrow()
                .succeed(first, AcquireRequest.of(key, LockId.random(), TTL, OPERATOR), false)
                .outcome();

        assertThat(((Granted) next).grant().token())
                .isGreaterThan(before.grant().token());
    }
}
