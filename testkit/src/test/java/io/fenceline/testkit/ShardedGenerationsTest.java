package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.sharding.ShardedLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A set of stores is recorded in each with its generation, and another set needs a later one. */
class ShardedGenerationsTest extends ShardedStores {

    private static final LockKey RECORD = LockKey.of("fenceline-shards/record");

    @Test
    void anotherSetOfStoresNeedsALaterGeneration() throws InterruptedException {
        cycle(open(3, "a", "b"), LockKey.of("key"));
        cycle(open(3, "b", "a"), LockKey.of("key"));

        assertRefused(() -> open(3, "a", "b", "c"), "another set of stores needs generation 4");
        assertRefused(
                () -> open(2, "a", "b"),
                "belongs to generation 3 with the stores a,b, and not to generation 2 with a,b; update");
        install(4, "a", "b", "c").close();
        assertRefused(() -> open(3, "a", "b"), "belongs to generation 4 with the stores a,b,c");
        assertRefused(() -> open(3, "c"), "store 'c' belongs to generation 4");
    }

    /** A command that looks, with a mistake in the generation, would shut out every process of the right configuration. */
    @Test
    @Tag("G8")
    void lookingRecordsNothing() throws InterruptedException {
        LockBackend typo = open(7, "a", "b");
        assertThat(typo.lookup(LockKey.of("key"))).isEmpty();
        assertThat(typo.ability(LockCatalog.class).orElseThrow().tokens("", "", 10))
                .isEmpty();
        typo.close();

        cycle(open(1, "a", "b"), LockKey.of("key"));
    }

    @Test
    void aLaterGenerationIsTakenWhenItIsInstalledAndNotByMistake() throws InterruptedException {
        FencingToken before = cycle(open(1, "a", "b"), LockKey.of("key"));
        LockBackend next = open(2, "a", "b", "c");
        assertRefused(
                () -> next.acquire(AcquireRequest.of(LockKey.of("key"), LockId.random(), TTL, OPERATOR)),
                "schema install");
        assertRefused(
                () -> next.ability(LockCatalog.class).orElseThrow().raiseToken(LockKey.of("key"), before, OPERATOR),
                "belong to generation 1 with a,b, which generation 2 with a,b,c has not followed yet");
        SchemaControl schema = next.ability(SchemaControl.class).orElseThrow();
        assertThat(schema.schemaProblems()).singleElement().asString().contains("generation 2");
        cycle(open(1, "a", "b"), LockKey.of("key"));

        schema.installSchema();

        assertThat(schema.schemaProblems()).isEmpty();
        assertThat(cycle(next, LockKey.of("key"))).isGreaterThan(before);
    }

    /** It would be taken for a record, and shut out every process. */
    @Test
    @Tag("G9")
    void keysLikeTheRecordsAreRefused() throws InterruptedException {
        LockBackend backend = open(1, "a", "b");
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
        for (LockKey key : List.of(LockKey.of("fenceline-shards/zzz"), LockKey.of("fenceline-shards/88/x"))) {
            assertThatThrownBy(() -> cycle(backend, key))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(key.value());
            assertThatThrownBy(() -> catalog.raiseToken(key, FencingToken.of(9), OPERATOR))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        cycle(backend("a", TokenMode.COUNTER), LockKey.of("fenceline-shards/by another program"));
        cycle(open(1, "a", "b"), LockKey.of("key"));
    }

    @Test
    void aStoreKeepsItsNameInAGeneration() throws InterruptedException {
        cycle(open(1, "a", "b", "c"), LockKey.of("key"));

        assertRefused(
                () -> ShardedLockBackend.over(1, Map.of("a", store("b"), "b", store("a"), "c", store("c"))),
                "store 'a' is recorded as 'b' in generation 1");
        cycle(open(1, "a", "b", "c"), LockKey.of("key"));
        installed(ShardedLockBackend.over(2, Map.of("a", store("b"), "b", store("a"))));
    }

    /** Such a process would take locks that others hold, and on an empty database count tokens from the start. */
    @Test
    void aStoreWithoutARecordOfTheSetIsNotTakenForOneOfIt() throws InterruptedException {
        cycle(open(1, "a", "b", "c"), LockKey.of("key"));
        stores.remove("c");

        LockBackend backend = open(1, "a", "b", "c");
        assertRefused(
                () -> backend.acquire(AcquireRequest.of(LockKey.of("key"), LockId.random(), TTL, OPERATOR)),
                "store 'c' has no record of generation 1, as every store of it had: its address is that of another store");
        SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();
        assertThat(schema.schemaProblems()).singleElement().asString().contains("let all processes use generation 2");
        assertRefused(schema::installSchema, "store 'c' has no record of generation 1");
        cycle(install(2, "a", "b", "c"), LockKey.of("key"));
    }

    @Test
    void whereTokensFollowTheClockAStoreMayLoseItsData() throws InterruptedException {
        cycle(open(1, TokenMode.CLOCK_FLOOR, "a", "b"), LockKey.of("key"));
        stores.remove("b");

        installed(open(1, TokenMode.CLOCK_FLOOR, "a", "b"));

        cycle(open(1, TokenMode.CLOCK_FLOOR, "a", "b"), LockKey.of("key"));
    }

    /** Its processes would be refused. */
    @Test
    void aSetThatCannotBeLeavesTheRecordsOfThePresentOne() throws InterruptedException {
        cycle(open(1, "a", "b"), LockKey.of("key"));
        LockBackend mixed = ShardedLockBackend.over(
                2, Map.of("a", store("a"), "b", store("b"), "r", backend("r", TokenMode.CLOCK_FLOOR)));

        assertRefused(() -> installed(mixed), "make tokens in different ways");
        assertThat(mixed.ability(SchemaControl.class).orElseThrow().schemaProblems())
                .singleElement()
                .asString()
                .contains("configure the same for all");

        cycle(open(1, "a", "b"), LockKey.of("key"));
    }

    @Test
    void norIsOneWithTheRecordOfAnOlderGeneration() throws InterruptedException {
        cycle(open(1, "a", "b", "c"), LockKey.of("key"));
        installed(ShardedLockBackend.over(2, Map.of("a", store("a"), "b", store("b"), "c", store("moved"))));

        LockBackend oldAddress = open(2, "a", "b", "c");
        assertRefused(
                () -> oldAddress.acquire(AcquireRequest.of(LockKey.of("key"), LockId.random(), TTL, OPERATOR)),
                "store 'c' has no record of generation 2");
    }

    @Test
    void tokensOfAllKeysRiseOnTheWayBackToOneStore() throws InterruptedException {
        List<LockKey> keys = keys(20);
        Map<LockKey, FencingToken> before = new HashMap<>();
        LockBackend several = open(2, "a", "b", "c");
        for (LockKey key : keys) {
            before.put(key, cycle(several, key));
        }

        LockBackend one = install(3, "a");

        for (LockKey key : keys) {
            assertThat(cycle(one, key)).isGreaterThan(before.get(key));
        }
    }

    /** As after a change that somebody took back by releasing all records of it, and of the set before. */
    @Test
    void aGenerationThatWasInUseBeforeIsNotInstalledAgain() throws InterruptedException {
        cycle(open(1, "a", "b"), LockKey.of("key"));
        install(2, "a", "b", "c").close();
        for (String store : List.of("a", "b", "c")) {
            LockCatalog catalog = store(store).ability(LockCatalog.class).orElseThrow();
            catalog.forceRelease(RECORD, OPERATOR);
            catalog.forceRelease(LockKey.of("fenceline-shards/complete/1"), OPERATOR);
        }
        cycle(open(1, "a", "b"), LockKey.of("key"));

        assertRefused(
                () -> install(2, "a", "b", "c"),
                "generation 2 was in use before, so let all processes use generation 3 after 'fenceline schema install'");
        cycle(install(3, "a", "b", "c"), LockKey.of("key"));
    }

    @Test
    void oneStoreUnderTwoNamesIsRefusedAndLeavesNoRecordOfTheSecond() throws InterruptedException {
        LockBackend twice = ShardedLockBackend.over(1, Map.of("a", store("a"), "b", store("a")));
        assertRefused(
                () -> twice.acquire(AcquireRequest.of(LockKey.of("key"), LockId.random(), TTL, OPERATOR)),
                "store 'b' is recorded as 'a' in generation 1");

        cycle(open(1, "a", "b"), LockKey.of("key"));
    }

    @Test
    void ofTwoSetsThatAreRecordedAtOnceTheLaterOneIsRefused() {
        LockBackend late = new ForwardingLockBackend(store("a")) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                install(1, "a", "b", "c").close(); // after our check and before our record
                return super.acquire(request);
            }
        };

        assertRefused(
                () -> installed(ShardedLockBackend.over(1, Map.of("a", late, "b", store("b")))),
                "another set of stores needs generation 2");
    }

    /** A job that takes its first lock hours after its start must not wait for a store that it does not need. */
    @Test
    @Tag("L5")
    void aProcessAsksNoOtherStoreForItsFirstLockOnceAllAreRecorded() throws InterruptedException {
        cycle(open(1, "a", "b"), LockKey.of("key"));
        SilentStore silent = new SilentStore(store("b"));
        ShardedLockBackend backend = ShardedLockBackend.over(1, Map.of("a", store("a"), "b", silent));
        silent.answers = false;

        assertThat(backend.acquire(AcquireRequest.of(keyOf(backend, "a"), LockId.random(), TTL, OPERATOR)))
                .isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    @Tag("L5")
    void theFirstLockOnFreshStoresWaitsForAllNoLongerThanItsTimeout() {
        SilentStore silent = new SilentStore(store("b"));
        ShardedLockBackend backend = ShardedLockBackend.over(1, Map.of("a", store("a"), "b", silent));
        silent.answers = false;
        AcquireRequest request = new AcquireRequest(
                keyOf(backend, "a"), LockId.random(), TTL, OPERATOR, 1, Duration.ZERO, Duration.ofMillis(50));

        assertThatThrownBy(() -> backend.acquire(request)).isInstanceOfSatisfying(BackendException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
            assertThat(e.effect()).isEqualTo(Effect.NONE);
        });
        silent.resume();
        assertThat(backend.acquire(AcquireRequest.of(request.key(), LockId.random(), TTL, OPERATOR)))
                .as("the attempt goes on, and the next caller waits for it")
                .isInstanceOf(Acquisition.Granted.class);
    }

    /** Redis forgets the tokens of idle keys after an hour. */
    @Test
    @Tag("G2")
    void recordsAreKeptForAYearAndLongerByProcessesThatStart() throws InterruptedException {
        for (int halfYears = 0; halfYears < 4; halfYears++) {
            cycle(open(2, "a", "b"), LockKey.of("key"));
            time.advance(Duration.ofDays(200));
        }

        assertRefused(() -> open(1, "a", "b"), "belongs to generation 2");
        assertRefused(() -> open(2, "a", "b", "c"), "another set of stores needs generation 3");
        stores.remove("b");
        assertRefused(
                () -> open(2, "a", "b").acquire(AcquireRequest.of(LockKey.of("key"), LockId.random(), TTL, OPERATOR)),
                "store 'b' has no record of generation 2");
    }

    /** On Redis listing means reading every key, also those of other programs. */
    @Test
    void noKeysAreListedForTheRecords() throws InterruptedException {
        LockBackend unlisted = new ForwardingLockBackend(store("a")) {
            @Override
            public <T> Optional<T> ability(Class<T> type) {
                return type == LockCatalog.class ? Optional.empty() : super.ability(type);
            }
        };

        cycle(ShardedLockBackend.over(1, Map.of("a", unlisted, "b", store("b"))), LockKey.of("key"));
        cycle(open(1, "a", "b"), LockKey.of("key"));
    }

    @Test
    void manyLongNamesAreToldApart() throws InterruptedException {
        String[] names = IntStream.range(0, 30)
                .mapToObj(i -> "redis-of-the-payments-team-" + i + ".example")
                .toArray(String[]::new);
        String[] others = names.clone();
        others[29] = "redis-of-the-payments-team-29.elsewhere";
        cycle(open(1, names), LockKey.of("key"));

        cycle(open(1, names), LockKey.of("key"));
        assertRefused(() -> open(1, others), "another set of stores needs generation 2");
    }

    private static LockKey keyOf(ShardedLockBackend backend, String store) {
        return keys(100).stream()
                .filter(key -> backend.storeOf(key).equals(store))
                .findFirst()
                .orElseThrow();
    }

    /** A store whose replies can be stopped. */
    private static final class SilentStore extends ForwardingLockBackend {

        volatile boolean answers = true;
        private final CountDownLatch resumed = new CountDownLatch(1);

        SilentStore(LockBackend store) {
            super(store);
        }

        void resume() {
            answers = true;
            resumed.countDown();
        }

        private void awaitAnswer() {
            try {
                if (!answers) {
                    resumed.await();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Acquisition acquire(AcquireRequest request) {
            awaitAnswer();
            return super.acquire(request);
        }

        @Override
        public <T> Optional<T> ability(Class<T> type) {
            awaitAnswer();
            return super.ability(type);
        }
    }
}
