package io.fenceline.redis;

import static io.fenceline.redis.SyncGuardJson.assertConsistsOf;
import static io.fenceline.redis.SyncGuardJson.number;
import static io.fenceline.redis.SyncGuardJson.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.Succession;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What we write into a Redis that is shared with SyncGuard, and what we take what is there for: to the byte. */
class SyncGuardRecordsTest {

    private static final LockKey KEY = LockKey.of("orders/42:caf\u00e9");
    private static final String LOCK = "syncguard:orders/42:caf\u00e9";
    private static final String FENCE = "syncguard:fence:syncguard:orders/42:caf\u00e9";
    private static final Holder HOLDER = Holder.of("node-a:12345");
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final String LOCK_ID = "ABCDEFGHIJKLMNOPQRSTUg";
    private static final String INDEX = "syncguard:id:" + LOCK_ID;

    private static RedisServer server;

    private RedisLockBackend backend;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.flush();
        backend = open("syncguard");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void aGrantIsThreeKeysOfSyncGuardsForm() {
        Grant grant = take();

        assertConsistsOf(
                server.call("GET", LOCK),
                text("lockId", grant.lockId().text()),
                number("expiresAtMs", grant.expiresAt().toEpochMilli()),
                number("acquiredAtMs", grant.acquiredAt().toEpochMilli()),
                text("key", "orders\\/42:caf\u00e9"),
                text("fence", "000000000000001"),
                text("holder", "node-a:12345"));
        assertThat(server.call("GET", "syncguard:id:" + grant.lockId())).isEqualTo(LOCK);
        assertThat(server.call("GET", FENCE)).isEqualTo("1");
        assertThat(pttl(LOCK)).isBetween(20_000L, 30_000L);
        assertThat(pttl("syncguard:id:" + grant.lockId())).isBetween(20_000L, 30_000L);
        assertThat(pttl(FENCE)).isEqualTo(-1);
        assertThat(server.call("DBSIZE")).isEqualTo(3L);
    }

    @Test
    @Tag("G8")
    void prefixesAreNormalisedAsKeysAreAlsoWhereSyncGuardWroteTheKeyAsItWasGiven() {
        long end = System.currentTimeMillis() + TTL.toMillis();
        server.call(
                "SET",
                "syncguard:caf\u00e9",
                "{\"lockId\":\"" + LOCK_ID + "\",\"expiresAtMs\":" + end
                        + ",\"acquiredAtMs\":1,\"key\":\"cafe\u0301\",\"fence\":\"000000000000001\"}");
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();

        assertThat(catalog.list("caf\u00e9", 10)).hasSize(1);
        assertThat(catalog.list("cafe\u0301", 10)).hasSize(1);
        assertThat(catalog.list("cafe", 10)).isEmpty();
    }

    @Test
    void aBlockOfTokensSaysHowManyInAText() {
        granted(backend.acquire(new AcquireRequest(KEY, LockId.random(), TTL, HOLDER, 10, Duration.ZERO)));

        assertThat(server.call("GET", LOCK).toString())
                .contains(text("fence", "000000000000001"), text("tokens", "10"));
        assertThat(server.call("GET", FENCE)).isEqualTo("10");
    }

    @Test
    void anExtensionChangesTheEndAndTheExpiryOfBothKeys() {
        Grant grant = take();
        String before = server.call("GET", LOCK).toString();

        long end = backend.extend(KEY, grant.lockId(), Duration.ofMinutes(10))
                .orElseThrow()
                .toEpochMilli();

        assertConsistsOf(
                server.call("GET", LOCK),
                Stream.of(before.substring(1, before.length() - 1).split(",", -1))
                        .map(member -> member.startsWith("\"expiresAtMs\"") ? number("expiresAtMs", end) : member)
                        .toArray(String[]::new));
        assertThat(pttl(LOCK)).isBetween(500_000L, 600_000L);
        assertThat(pttl("syncguard:id:" + grant.lockId())).isBetween(500_000L, 600_000L);
        assertThat(server.call("GET", FENCE)).isEqualTo("1");
    }

    @Test
    void aReleaseWithARestChangesTheEndAndTheExpiryOfBothKeys() {
        Grant grant = take();
        String before = server.call("GET", LOCK).toString();

        assertThat(backend.releaseAfter(KEY, grant.lockId(), Duration.ofSeconds(20)))
                .isTrue();

        long end = backend.lookup(KEY).orElseThrow().expiresAt().toEpochMilli();
        assertConsistsOf(
                server.call("GET", LOCK),
                Stream.of(before.substring(1, before.length() - 1).split(",", -1))
                        .map(member -> member.startsWith("\"expiresAtMs\"") ? number("expiresAtMs", end) : member)
                        .toArray(String[]::new));
        assertThat(pttl(LOCK)).isBetween(1_000L, 20_000L);
        assertThat(pttl("syncguard:id:" + grant.lockId())).isBetween(1_000L, 20_000L);
    }

    @Test
    void aReleaseLeavesTheCounterAlone() {
        Grant grant = take();

        assertThat(backend.release(KEY, grant.lockId())).isTrue();

        assertThat(server.call("KEYS", "*")).isEqualTo(List.of(FENCE));
        assertThat(pttl(FENCE)).isEqualTo(-1);
    }

    @Test
    void aRefusedAttemptAndEveryLookWritesNothing() {
        Grant grant = take();
        String before = server.info("master_repl_offset") + server.info("rdb_changes_since_last_save");

        for (int i = 0; i < 10; i++) {
            refused();
            backend.lookup(KEY);
            backend.lookup(grant.lockId());
            backend.isLocked(KEY);
        }

        assertThat(server.info("master_repl_offset") + server.info("rdb_changes_since_last_save"))
                .isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"syncguard:", "syncguard:::"})
    void colonsAtThePrefixsEndDoNotCount(String prefix) {
        try (RedisLockBackend other = open(prefix)) {
            granted(other.acquire(request(KEY)));
        }

        assertThat(server.call("EXISTS", LOCK, FENCE)).isEqualTo(2L);
    }

    @Test
    void namesWithoutAPrefixStandAlone() {
        try (RedisLockBackend other = open("")) {
            Grant grant = granted(other.acquire(request(LockKey.of("a"))));

            assertThat(server.call("EXISTS", "a", "fence:a", "id:" + grant.lockId()))
                    .isEqualTo(3L);
            assertThat(other.ability(LockCatalog.class).orElseThrow().list("", 10))
                    .hasSize(1);
            assertThat(other.release(LockKey.of("a"), grant.lockId())).isTrue();
        }
    }

    @Test
    void namesThatAreTooLongAreHashed() {
        String prefix = "p".repeat(228);
        try (RedisLockBackend other = open(prefix)) {
            LockKey key = LockKey.of("k".repeat(512));
            granted(other.acquire(request(key)));

            assertThat(server.call("EXISTS", prefix + ":" + key, prefix + ":8cJzKUB6AAALZMrfafjfEw"))
                    .isEqualTo(2L);
            assertThat(other.ability(LockCatalog.class).orElseThrow().list("kkk", 10))
                    .extracting(record -> record.raw().key())
                    .containsExactly(key);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"lockId\":\"ID\",\"expiresAtMs\":END,\"acquiredAtMs\":NOW,\"key\":\"orders\\/42:caf\u00e9\",\"fence\":\"000000000000007\"}",
                "{\"fence\":\"000000000000007\",\"key\":\"orders/42:caf\u00e9\",\"acquiredAtMs\":NOW,\"expiresAtMs\":END,\"lockId\":\"ID\"}",
                "{ \"key\": \"orders\\/42:caf\\u00e9\", \"fence\": \"000000000000007\", \"lockId\": \"ID\","
                        + " \"acquiredAtMs\": NOW.0, \"expiresAtMs\": END, \"more\": \"than we know\"}",
                "{\"lockId\":\"ID\",\"expiresAtMs\":\"END\",\"acquiredAtMs\":\"NOW\",\"key\":\"orders\\/42:caf\u00e9\",\"fence\":\"000000000000007\"}",
            })
    void aRecordOfTheirsIsRefusedSeenExtendedAndReleased(String form) {
        long now = now();
        String more = form.contains("more") ? text("more", "than we know") : null;
        plant(form.replace("ID", LOCK_ID)
                .replace("END", Long.toString(now + 30_000))
                .replace("NOW", Long.toString(now)));
        server.call("SET", FENCE, "7");

        assertThat(refused().remaining()).isBetween(Duration.ofSeconds(20), TTL);
        LockRecord record = backend.lookup(KEY).orElseThrow();
        assertThat(record.token()).isEqualTo(FencingToken.of(7));
        assertThat(record.acquiredAt().toEpochMilli()).isEqualTo(now);
        assertThat(record.expiresAt().toEpochMilli()).isEqualTo(now + 30_000);
        LockId lockId = LockId.parse(LOCK_ID);
        assertThat(backend.lookup(lockId).orElseThrow().raw()).isEqualTo(record.raw());

        long end = backend.extend(KEY, lockId, Duration.ofMinutes(10))
                .orElseThrow()
                .toEpochMilli();
        assertConsistsOf(
                server.call("GET", LOCK),
                Stream.of(
                                text("lockId", LOCK_ID),
                                number("expiresAtMs", end),
                                number("acquiredAtMs", now),
                                text("key", "orders\\/42:caf\u00e9"),
                                text("fence", "000000000000007"),
                                more)
                        .filter(member -> member != null)
                        .toArray(String[]::new));

        assertThat(backend.release(KEY, lockId)).isTrue();
        assertThat(take().token()).isEqualTo(FencingToken.of(8));
    }

    @Test
    void anEndInExponentFormIsRead() {
        plant(record("1.0e+14", now()));

        assertThat(backend.lookup(KEY).orElseThrow().expiresAt().toEpochMilli()).isEqualTo(100_000_000_000_000L);
        assertThat(refused().remaining()).isGreaterThan(Duration.ofDays(365));
    }

    @Test
    void aHolderThatSomebodyElseWroteNeedNotBeOurs() {
        plant(record(Long.toString(now() + 30_000), now())
                .replace("}", ",\"holder\":\"" + "x".repeat(256) + "\",\"tokens\":3}"));

        assertThat(refused().holder()).isEmpty();
        assertThat(backend.lookup(KEY).orElseThrow().holder()).isEqualTo(Holder.of("SyncGuard"));
        assertThat(backend.lookup(KEY).orElseThrow().raw().tokens()).isEqualTo(1);
    }

    @Test
    void aLockWithoutAnIndexIsRefusedAndReleased() {
        plant(record(Long.toString(now() + 30_000), now()));
        server.call("DEL", INDEX);

        refused();
        assertThat(backend.lookup(LockId.parse(LOCK_ID))).isEmpty();
        assertThat(backend.extend(KEY, LockId.parse(LOCK_ID), TTL)).isPresent();
        assertThat(server.call("GET", INDEX)).isEqualTo(LOCK);
        assertThat(backend.release(KEY, LockId.parse(LOCK_ID))).isTrue();
    }

    @Test
    void aLockWhoseExpiryWasTakenAwayOutlivesItsEndByTheirTolerance() {
        plant(record(Long.toString(now() - 100), now() - 30_000));
        server.call("PERSIST", LOCK);

        assertThat(refused().remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));

        plant(record(Long.toString(now() - 1_001), now() - 30_000));
        server.call("PERSIST", LOCK);

        assertThat(backend.isLocked(KEY)).isFalse();
        assertThat(backend.release(KEY, LockId.parse(LOCK_ID))).isFalse();
        take();
    }

    @ParameterizedTest
    @CsvSource({"30000, 30000", "1, 1", "0, 1", "-1, 999", "-999, 1"})
    void theLastMillisecondOfALockIsToldAsOne(int untilEnd, long left) throws IOException {
        try (InputStream record = RedisLockBackend.class.getResourceAsStream("syncguard/record.lua")) {
            String script = "local TOLERANCE_MILLIS = 1000\nlocal clock, text\n"
                    + new String(record.readAllBytes(), StandardCharsets.UTF_8)
                    + "\nreturn left({ expiresAtMs = 5000 + ARGV[1] }, 5000)";

            assertThat(server.call("EVAL", script, "0", Integer.toString(untilEnd)))
                    .isEqualTo(left);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"junk", "7", "[]", "{}", "{\"lockId\":1}", "null", "{\"lockId\":\"a\",\"expiresAtMs\":null}"})
    void whatIsNoLockIsToldAndLeftAlone(String value) {
        server.call("SET", LOCK, value);

        Stream.<Runnable>of(
                        () -> backend.acquire(request(KEY)),
                        () -> backend.lookup(KEY),
                        () -> backend.extend(KEY, LockId.parse(LOCK_ID), TTL),
                        () -> backend.release(KEY, LockId.parse(LOCK_ID)))
                .forEach(operation -> assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(operation::run)
                        .withMessageContaining("'" + LOCK + "'")
                        .returns(ErrorCode.INTERNAL, BackendException::code)
                        .returns(Effect.NONE, BackendException::effect));

        assertThat(server.call("GET", LOCK)).isEqualTo(value);
        assertThat(server.call("DBSIZE")).isEqualTo(1L);
    }

    @Test
    void whatIsNoTextIsToldAndLeftAlone() {
        Stream.of(LOCK, FENCE, INDEX).forEach(name -> server.call("HSET", name, "a", "b"));
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();

        assertStrange(LOCK, () -> backend.acquire(request(KEY)));
        assertStrange(LOCK, () -> backend.lookup(KEY));
        assertStrange(LOCK, () -> backend.extend(KEY, LockId.parse(LOCK_ID), TTL));
        assertStrange(LOCK, () -> backend.release(KEY, LockId.parse(LOCK_ID)));
        assertStrange(LOCK, () -> catalog.forceRelease(KEY, HOLDER));
        assertStrange(INDEX, () -> backend.lookup(LockId.parse(LOCK_ID)));
        assertStrange(FENCE, () -> catalog.lastToken(KEY));
        assertStrange(FENCE, () -> catalog.raiseToken(KEY, FencingToken.of(7), HOLDER));
        server.call("DEL", LOCK);
        assertStrange(FENCE, () -> backend.acquire(request(KEY)));

        assertThat(server.call("DBSIZE")).isEqualTo(2L);
    }

    /** Redis itself adds nothing to such a number, so an act must not find out in its middle. */
    @ParameterizedTest
    @ValueSource(strings = {"000000000000123", "00", "-1", "+1", " 1", "1.0", ""})
    void aCounterThatRedisDoesNotCountOnIsToldAndNothingIsChanged(String count) {
        server.call("SET", FENCE, count);
        assertStrange(FENCE, () -> backend.acquire(request(KEY)));
        assertThat(server.call("DBSIZE")).isEqualTo(1L);

        plant(record(Long.toString(now() + 30_000), now()));
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
        assertStrange(FENCE, () -> catalog.forceRelease(KEY, HOLDER));
        assertStrange(FENCE, () -> catalog.raiseToken(KEY, FencingToken.of(200), HOLDER));

        assertThat(server.call("GET", FENCE)).isEqualTo(count);
        assertThat(backend.isLocked(KEY)).isTrue();
        assertThat(server.call("DBSIZE")).isEqualTo(3L);
    }

    private static void assertStrange(String name, ThrowingCallable act) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(act)
                .withMessageContaining("'" + name + "'")
                .returns(ErrorCode.INTERNAL, BackendException::code)
                .returns(Effect.NONE, BackendException::effect);
    }

    @Test
    void aLockThatTheyPlantedWhereACounterBelongsIsTold() {
        server.call("SET", FENCE, record(Long.toString(now() + 30_000), now()));

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> backend.acquire(request(KEY)))
                .withMessageContaining("'" + FENCE + "'")
                .returns(Effect.NONE, BackendException::effect);
        assertThat(server.call("EXISTS", LOCK)).isEqualTo(0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"900000000000000", "1000000000000000", "9000000000000000"})
    void theLimitOfTokensIsCheckedAsANumberAndBeforeAnythingIsWritten(String last) {
        server.call("SET", FENCE, last);

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> backend.acquire(request(KEY)))
                .withMessageContaining(last);

        assertThat(server.call("GET", FENCE)).isEqualTo(last);
        assertThat(server.call("DBSIZE")).isEqualTo(1L);
    }

    @Test
    void withFullMemoryWhatIsHeldCanBeExtendedAndReleased() {
        Grant grant = take();
        server.call("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> backend.acquire(request(LockKey.of("other"))))
                    .returns(ErrorCode.RATE_LIMITED, BackendException::code)
                    .returns(Effect.NONE, BackendException::effect);
            assertThat(backend.extend(KEY, grant.lockId(), TTL)).isPresent();
            assertThat(backend.releaseAfter(KEY, grant.lockId(), TTL)).isTrue();
            assertThat(backend.release(KEY, grant.lockId())).isTrue();
        } finally {
            server.call("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(server.call("EXISTS", "syncguard:fence:syncguard:other")).isEqualTo(0L);
    }

    @Test
    void theListPassesOverWhatIsNoLock() {
        Grant grant = take();
        server.call("SET", "syncguard:text", "somebody's");
        server.call("SET", "syncguard:json", "{\"a\":1}");
        server.call("SET", "syncguard:elsewhere", server.call("GET", LOCK).toString());
        server.call("SET", "syncguard:id:" + LOCK_ID, server.call("GET", LOCK).toString());
        server.call("HSET", "syncguard:hash", "a", "b");
        server.call("SET", "other:orders/42", "x");

        assertThat(backend.ability(LockCatalog.class).orElseThrow().list("", 10))
                .extracting(record -> record.raw().lockId())
                .containsExactly(grant.lockId());
    }

    @Test
    void whatPeopleDoIsKeptOutsideOfTheirNames() {
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
        take();
        catalog.forceRelease(KEY, Holder.of("operator"));
        catalog.raiseToken(KEY, FencingToken.of(100), Holder.of("operator"));

        assertThat((List<?>) server.call("KEYS", "*"))
                .map(String::valueOf)
                .containsExactlyInAnyOrder(FENCE, "syncguard#audit:" + LOCK);
        assertThat(server.call("LRANGE", "syncguard#audit:" + LOCK, "0", "-1").toString())
                .contains("raise 2 100 operator", "release 1 2 operator");
    }

    @Test
    void thereIsNoQueueAndNoSignal() {
        assertThat(backend.ability(ReleaseSignals.class)).isEmpty();
        assertThat(backend.ability(Succession.class)).isEmpty();
    }

    private static RedisLockBackend open(String prefix) {
        return RedisLockBackend.open(server.uri(), RedisOptions.defaults().withLayout(KeyLayout.syncGuard(prefix)));
    }

    private static String record(String expires, long acquired) {
        return "{\"lockId\":\"" + LOCK_ID + "\",\"expiresAtMs\":" + expires + ",\"acquiredAtMs\":" + acquired
                + ",\"key\":\"orders\\/42:caf\u00e9\",\"fence\":\"000000000000007\"}";
    }

    private static void plant(String record) {
        server.call("SET", LOCK, record, "PX", "30000");
        server.call("SET", INDEX, LOCK, "PX", "30000");
    }

    private static long now() {
        List<?> time = (List<?>) server.call("TIME");
        return Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
    }

    private static long pttl(String name) {
        return (Long) server.call("PTTL", name);
    }

    private Grant take() {
        return granted(backend.acquire(request(KEY)));
    }

    private Contended refused() {
        return (Contended) backend.acquire(request(KEY));
    }

    private static Grant granted(Acquisition outcome) {
        assertThat(outcome).isInstanceOf(Granted.class);
        return ((Granted) outcome).grant();
    }

    private static AcquireRequest request(LockKey key) {
        return AcquireRequest.of(key, LockId.random(), TTL, HOLDER);
    }
}
