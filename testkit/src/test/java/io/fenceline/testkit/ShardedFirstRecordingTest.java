package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.memory.MemoryStore;
import io.fenceline.sharding.ShardedLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fresh stores are recorded by the process that comes first, also if it is killed or another one comes at the same time. */
class ShardedFirstRecordingTest extends ShardedStores {

    private static final LockKey RECORDING = LockKey.of("fenceline-shards/recording");

    @Test
    void thatAllStoresWereRecordedIsMadeUpForByTheNextProcess() throws InterruptedException {
        recordUntil("a", "complete");
        cycle(open(1, "a", "b"), LockKey.of("key"));

        stores.remove("b");
        assertRefused(() -> open(1, "a", "b").acquire(request()), "store 'b' has no record of generation 1");
    }

    @Test
    void aFirstRecordingThatWasBrokenOffIsCompletedByTheNextProcess() throws InterruptedException {
        recordUntil("b", "record");
        assertThat(store("a").lookup(LockKey.of("fenceline-shards/record"))).isPresent();
        assertThat(store("b").lookup(LockKey.of("fenceline-shards/record"))).isEmpty();

        cycle(open(1, "a", "b"), LockKey.of("key"));
    }

    /** It wrote a record into a store of the set and into the fresh one, so both looked like stores of the set. */
    @Test
    @Tag("G1")
    void aProcessWithAnotherAddressIsRefusedThoughOneWasKilledWhileItRecorded() throws InterruptedException {
        MemoryStore elsewhere = stores.computeIfAbsent("b", name -> new MemoryStore(TokenMode.COUNTER, time, time));
        recordUntil("a", "complete");
        stores.remove("b");
        cycle(open(1, "a", "b"), LockKey.of("key"));

        stores.put("b", elsewhere);
        String refusal = "the stores a,b are not those that generation 1 was recorded with";
        assertRefused(() -> open(1, "a", "b").acquire(request()), refusal);
        SchemaControl schema = open(1, "a", "b").ability(SchemaControl.class).orElseThrow();
        assertThat(schema.schemaProblems()).singleElement().asString().contains(refusal);
        assertRefused(schema::installSchema, refusal);
    }

    /** As one that stood still after it had looked whether it still holds the locks. */
    @Test
    @Tag("G1")
    void aProcessThatTookTooLongCompletesNoOtherRecords() throws InterruptedException {
        LockBackend slow = before("a", key -> {
            if (key.contains("complete/")) {
                time.advance(Duration.ofSeconds(31));
                open(1, "a", "b").acquire(request());
            }
        });
        ShardedLockBackend wrong = ShardedLockBackend.over(1, Map.of("a", slow, "b", store("elsewhere")));

        assertRefused(() -> wrong.acquire(request()), "are not those that generation 1 was recorded with");
        cycle(open(1, "a", "b"), LockKey.of("another"));
    }

    /** Begins to record two fresh stores, of which one grants no lock of the given kind. */
    private void recordUntil(String store, String what) {
        LockBackend away = before(store, key -> {
            if (key.endsWith(what) || key.contains(what + "/")) {
                throw new BackendException(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "away", null);
            }
        });
        Map<String, LockBackend> fresh = new HashMap<>(Map.of("a", store("a"), "b", store("b")));
        fresh.put(store, away);
        assertThatThrownBy(() -> ShardedLockBackend.over(1, fresh).acquire(request()))
                .hasMessageContaining("away");
    }

    /** Of two stores under one name, one would be taken for the other: both processes would hold a key. */
    @Test
    @Tag("G1")
    void aProcessWithAnotherAddressIsRefusedThoughItsFirstLockComesWhileTheStoresAreRecorded() throws Exception {
        CountDownLatch tried = new CountDownLatch(1);
        LockBackend toldOfTries = new ForwardingLockBackend(store("a")) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                Acquisition outcome = super.acquire(request);
                tried.countDown();
                return outcome;
            }
        };
        ShardedLockBackend wrong =
                ShardedLockBackend.over(1, Map.of("a", toldOfTries, "b", store("b"), "c", store("elsewhere")));
        CompletableFuture<Acquisition> first = new CompletableFuture<>();
        LockBackend recording = before("c", key -> {
            if (key.endsWith("/record")) {
                first.completeAsync(() -> wrong.acquire(request()), PROCESSES);
                awaitTry(tried);
            }
        });

        ShardedLockBackend right = ShardedLockBackend.over(1, Map.of("a", store("a"), "b", store("b"), "c", recording));

        assertThat(right.acquire(request())).isInstanceOf(Acquisition.Granted.class);
        assertThatThrownBy(first::get).hasMessageContaining("store 'c' has no record of generation 1");
    }

    @Test
    @Tag("G1")
    void theRecordsOfAnotherProcessAreFoundThoughItWasFasterByOneRequest() {
        AtomicBoolean recorded = new AtomicBoolean();
        LockBackend late = before("a", key -> {
            if (!recorded.getAndSet(true)) {
                open(1, "a", "b", "c").acquire(request()); // after our look and before our lock
            }
        });
        ShardedLockBackend wrong =
                ShardedLockBackend.over(1, Map.of("a", late, "b", store("b"), "c", store("elsewhere")));

        assertRefused(() -> wrong.acquire(request()), "store 'c' has no record of generation 1");
    }

    /** As one that stood still while it recorded, for longer than it holds the locks. */
    @Test
    @Tag("G1")
    void aProcessThatTookTooLongToRecordIsRefused() {
        LockBackend slow = before("b", key -> {
            if (key.contains("/probe")) {
                time.advance(Duration.ofSeconds(31));
                open(1, "a", "b", "c").acquire(request());
            }
        });
        ShardedLockBackend backend =
                ShardedLockBackend.over(1, Map.of("a", store("a"), "b", slow, "c", store("elsewhere")));

        assertThatThrownBy(() -> backend.acquire(request())).hasMessageContaining("took too long to reply");
        assertRefused(() -> backend.acquire(request()), "store 'c' has no record of generation 1");
    }

    private static void awaitTry(CountDownLatch tried) {
        try {
            tried.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void waitsForAProcessThatIsRecordingOrWasKilled() throws Exception {
        LockId other = LockId.random();
        store("b").acquire(AcquireRequest.of(RECORDING, other, TTL, OPERATOR));
        CountDownLatch tried = new CountDownLatch(2);
        LockBackend waitedFor = before("b", key -> tried.countDown());
        ShardedLockBackend backend = ShardedLockBackend.over(1, Map.of("a", store("a"), "b", waitedFor));

        CompletableFuture<Acquisition> first =
                CompletableFuture.supplyAsync(() -> backend.acquire(request()), PROCESSES);
        tried.await();
        assertThat(first).isNotDone();
        store("b").release(RECORDING, other);

        assertThat(first.get()).isInstanceOf(Acquisition.Granted.class);
    }

    /** Many processes that start at once would otherwise take the locks in turn, for longer than their callers wait. */
    @Test
    @Tag("L5")
    void nobodyWaitsForTheLocksOnceTheStoresAreRecorded() throws Exception {
        CountDownLatch tried = new CountDownLatch(2);
        LockBackend waitedFor = before("a", key -> tried.countDown());
        ShardedLockBackend waiting = ShardedLockBackend.over(1, Map.of("a", waitedFor, "b", store("b")));
        CompletableFuture<Acquisition> first = new CompletableFuture<>();
        LockBackend killed =
                new ForwardingLockBackend(before("a", key -> {
                    if (key.endsWith("/record")) {
                        first.completeAsync(() -> waiting.acquire(request()), PROCESSES);
                        awaitTry(tried);
                    }
                })) {
                    @Override
                    public boolean release(LockKey key, LockId lockId) {
                        return key.equals(RECORDING) || super.release(key, lockId);
                    }
                };

        ShardedLockBackend.over(1, Map.of("a", killed, "b", store("b")))
                .acquire(AcquireRequest.of(LockKey.of("another"), LockId.random(), TTL, OPERATOR));

        assertThat(first.get()).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    @Tag("L5")
    void theTimeOfTheRecordingIsTakenFromThatOfTheFirstLock() {
        AtomicReference<Duration> left = new AtomicReference<>();
        LockBackend asked = new ForwardingLockBackend(store("a")) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                left.set(request.timeout());
                return super.acquire(request);
            }
        };
        AcquireRequest request = request();

        ShardedLockBackend.over(1, Map.of("a", asked)).acquire(request);

        assertThat(left.get()).isPositive().isLessThan(request.timeout());
    }

    /** A command that does not wait ends before far stores are recorded. What it left half done would be in the next one's way. */
    @Test
    void aRecordingThatItsCallerDoesNotWaitForEndsBeforeTheStoresAreClosed() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        AtomicBoolean closedTooEarly = new AtomicBoolean();
        LockBackend far =
                new ForwardingLockBackend(before("b", key -> {
                    if (key.endsWith("/record")) {
                        awaitTry(closing);
                    }
                })) {
                    @Override
                    public void close() {
                        closedTooEarly.set(store("a").isLocked(RECORDING));
                    }
                };
        ShardedLockBackend backend = ShardedLockBackend.over(1, Map.of("a", store("a"), "b", far));
        AcquireRequest impatient = new AcquireRequest(
                LockKey.of("key"), LockId.random(), TTL, OPERATOR, 1, Duration.ZERO, Duration.ofMillis(50));
        assertThatThrownBy(() -> backend.acquire(impatient)).hasMessageContaining("was not recorded within 50 ms");

        Thread closer = new Thread(backend::close, "closer");
        closer.start();
        while (closer.isAlive() && closer.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        closing.countDown();
        closer.join();

        assertThat(closedTooEarly).isFalse();
        assertThat(store("b").isLocked(LockKey.of("fenceline-shards/record"))).isTrue();
    }

    /** With it, the tokens of keys that move from a store that was used alone would fall. */
    @Test
    @Tag("G2")
    void generationsBeginWithOne() {
        assertThatThrownBy(() -> Backends.open("sharded:0 a=memory: b=memory:"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a number from 1 for the generation");
    }

    private static AcquireRequest request() {
        return AcquireRequest.of(LockKey.of("key"), LockId.random(), TTL, OPERATOR);
    }

    /** A store that does something before each attempt to take a lock. */
    private LockBackend before(String store, Consumer<String> action) {
        return new ForwardingLockBackend(store(store)) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                action.accept(request.key().value());
                return super.acquire(request);
            }
        };
    }
}
