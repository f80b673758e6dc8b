package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.Succession;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.net.FaultProxy;
import io.fenceline.testkit.net.Traffic;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an operation costs the server and what it leaves there. */
class RedisStoreTest {

    private static final LockKey KEY = LockKey.of("abcd");
    private static final Holder HOLDER = Holder.of("node-a:12345");
    private static final Duration TTL = Duration.ofSeconds(30);

    private static RedisServer server;

    private FaultProxy proxy;
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
        proxy = FaultProxy.to("127.0.0.1", server.port());
        backend = RedisLockBackend.open("redis://127.0.0.1:" + proxy.port(), RedisOptions.defaults());
    }

    @AfterEach
    void close() {
        backend.close();
        proxy.close();
    }

    @Test
    void everyOperationIsOneCommandAndOneRoundTrip() {
        Grant warm = take(backend);
        everything(warm).forEach(Runnable::run);
        Grant grant = take(backend);
        server.call("CONFIG", "RESETSTAT");

        long commands = 0;
        for (Runnable operation : everything(grant)) {
            assertThat(proxy.roundTrips().countDuring(operation)).isEqualTo(1);
            commands++;
            assertThat(calls("evalsha")).isEqualTo(commands);
        }
        assertThat(calls("eval") + calls("script|load")).isZero();
    }

    /** In an order in which each finds something to do; the last frees the lock. */
    private List<Runnable> everything(Grant grant) {
        return List.of(
                () -> backend.acquire(request(KEY, grant.lockId(), Duration.ZERO)),
                () -> backend.acquire(request(KEY, LockId.random(), Duration.ZERO)),
                () -> backend.extend(KEY, grant.lockId(), TTL),
                () -> backend.lookup(KEY),
                () -> backend.isLocked(KEY),
                () -> backend.lookup(grant.lockId()),
                () -> backend.release(KEY, grant.lockId()),
                () -> backend.ability(Succession.class)
                        .orElseThrow()
                        .succeed(grant.lockId(), request(LockKey.of("other"), LockId.random(), TTL), false));
    }

    @Test
    void aCycleOfAFourLetterKeyIsThreeHundredBytes() {
        cycle(TTL);

        Traffic traffic = proxy.roundTrips().trafficDuring(() -> cycle(Duration.ofSeconds(5)));

        assertThat(traffic.roundTrips()).isEqualTo(2);
        assertThat(traffic.bytesToServer()).isLessThanOrEqualTo(300);
        assertThat(traffic.bytesToClient()).isLessThanOrEqualTo(48);
    }

    @Test
    void whoIsRefusedAndWillNotWaitWritesNothing() {
        take(backend);
        refused(backend, Duration.ZERO);
        String before = dump() + server.info("master_repl_offset");
        server.call("CONFIG", "RESETSTAT");

        for (int i = 0; i < 50; i++) {
            refused(backend, Duration.ZERO);
        }

        assertThat(dump() + server.info("master_repl_offset")).isEqualTo(before);
        assertThat(writes()).isZero();
    }

    @Test
    void nothingIsPublishedWhenNobodyWaits() {
        cycle(TTL);
        server.call("CONFIG", "RESETSTAT");

        cycle(TTL);
        cycle(Duration.ZERO);

        assertThat(calls("publish")).isZero();
    }

    @Test
    void anIdleLockLeavesNothingBehind() {
        try (RedisLockBackend forgetful = RedisLockBackend.open(
                server.uri(), RedisOptions.defaults().withCounterRetention(Duration.ofMillis(100)))) {
            Grant released = take(forgetful);
            forgetful.release(KEY, released.lockId());
            granted(forgetful.acquire(
                    AcquireRequest.of(LockKey.of("left to expire"), LockId.random(), Duration.ofMillis(50), HOLDER)));

            await().atMost(Duration.ofSeconds(10))
                    .until(() -> server.call("DBSIZE").equals(0L));

            assertThat(take(forgetful).token()).isGreaterThan(released.token());
        }
    }

    /** A lease must not vanish before its end. */
    @Test
    @Tag("G1")
    void anExtensionBeyondTheRetentionProlongsTheStayAndARaisedTokenDoesNotShortenIt() {
        try (RedisLockBackend forgetful = RedisLockBackend.open(
                server.uri(), RedisOptions.defaults().withCounterRetention(Duration.ofMillis(100)))) {
            Grant grant = take(forgetful);

            forgetful.extend(KEY, grant.lockId(), Duration.ofHours(2));

            assertThat((Long) server.call("PTTL", "fenceline:{abcd}"))
                    .isGreaterThan(Duration.ofMinutes(119).toMillis());

            forgetful
                    .ability(LockCatalog.class)
                    .orElseThrow()
                    .raiseToken(KEY, FencingToken.of(grant.token().value() + 1), HOLDER);

            assertThat((Long) server.call("PTTL", "fenceline:{abcd}"))
                    .isGreaterThan(Duration.ofMinutes(119).toMillis());
        }
    }

    @Test
    void aReleaseLongBeforeTheEndShortensTheStay() {
        LockId lockId = LockId.random();
        granted(backend.acquire(AcquireRequest.of(KEY, lockId, Duration.ofDays(365), HOLDER)));

        backend.release(KEY, lockId);

        assertThat((Long) server.call("PTTL", "fenceline:{abcd}"))
                .isBetween(1L, Duration.ofHours(1).plusSeconds(1).toMillis());
    }

    @Test
    @Tag("L10")
    void aMinimumHoldStaysThoughItIsLongerThanItsTtl() {
        Grant grant = take(backend);

        backend.releaseAfter(KEY, grant.lockId(), Duration.ofHours(5));

        assertThat((Long) server.call("PTTL", "fenceline:{abcd}"))
                .isGreaterThan(Duration.ofHours(5).minusMinutes(1).toMillis());
    }

    @Test
    void aRaisedTokenIsKeptUntilTheClockHasPassedIt() {
        Grant grant = take(backend);
        long ahead = Duration.ofDays(100).toMillis();
        backend.ability(LockCatalog.class)
                .orElseThrow()
                .raiseToken(KEY, FencingToken.of(grant.token().value() + ahead * 40), HOLDER);
        backend.extend(KEY, grant.lockId(), TTL);
        assertThat((Long) server.call("PTTL", "fenceline:{abcd}")).isGreaterThan(ahead);
        backend.release(KEY, grant.lockId());
        assertThat((Long) server.call("PTTL", "fenceline:{abcd}")).isGreaterThan(ahead);

        cycle(TTL);

        assertThat((Long) server.call("PTTL", "fenceline:{abcd}")).isGreaterThan(ahead);
    }

    @Test
    void aCounterIsNeverForgotten() {
        try (RedisLockBackend counting =
                RedisLockBackend.open(server.uri(), RedisOptions.defaults().withTokenMode(TokenMode.COUNTER))) {
            assertThat(granted(counting.acquire(request(LockKey.of("fresh"), LockId.random(), Duration.ZERO)))
                            .token()
                            .value())
                    .isEqualTo(1);
            cycle(TTL); // with a clock floor, so the hash may be forgotten
            Grant grant = take(counting);
            counting.release(KEY, grant.lockId());

            assertThat(server.call("PTTL", "fenceline:{abcd}")).isEqualTo(-1L);
        }
    }

    @Test
    @Tag("G8")
    void prefixesAreNormalisedAsKeysAreAndOneHashThatCannotBeReadHidesNoLock() {
        granted(backend.acquire(request(LockKey.of("caf\u00e9:1"), LockId.random(), Duration.ZERO)));
        granted(backend.acquire(request(LockKey.of("cafe"), LockId.random(), Duration.ZERO)));
        server.call("HSET", "fenceline:{caf\u00e9:odd}", "id", "odd", "until", "9000000000000000");
        server.call("HSET", "fenceline:{caf\u00e9:none}", "id", "odd", "until", "never", "last", "none");
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();

        for (String prefix : List.of("caf\u00e9", "cafe\u0301")) {
            assertThat(catalog.list(prefix, 10))
                    .extracting(lock -> lock.raw().key().value())
                    .containsExactly("caf\u00e9:1");
            assertThat(catalog.tokens(prefix, "", 10)).hasSize(1);
        }
    }

    @Test
    void scriptsThatTheServerForgotAreSentAgain() {
        Grant grant = take(backend);
        server.call("SCRIPT", "FLUSH");

        assertThat(backend.lookup(KEY)).isPresent();
        assertThat(backend.release(KEY, grant.lockId())).isTrue();
        take(backend);
    }

    @Test
    void tokensRiseThoughAllDataIsGone() {
        Grant before = take(backend);

        server.flush();

        assertThat(take(backend).token()).isGreaterThan(before.token());
    }

    @Test
    void tokensRiseThoughTheServerForgotAllWhenItWasRestarted() {
        Grant before = take(backend);

        server.kill();
        server.startAgain();

        await().atMost(Duration.ofSeconds(10)).ignoreExceptions().untilAsserted(() -> backend.isLocked(KEY));
        assertThat(take(backend).token()).isGreaterThan(before.token());
    }

    private static Grant take(RedisLockBackend backend) {
        return granted(backend.acquire(request(KEY, LockId.random(), Duration.ZERO)));
    }

    private void cycle(Duration maxWait) {
        Grant grant = granted(backend.acquire(request(KEY, LockId.random(), maxWait)));
        assertThat(backend.release(KEY, grant.lockId())).isTrue();
    }

    private static void refused(RedisLockBackend backend, Duration maxWait) {
        assertThat(backend.acquire(request(KEY, LockId.random(), maxWait))).isInstanceOf(Contended.class);
    }

    private static Grant granted(Acquisition outcome) {
        assertThat(outcome).isInstanceOf(Granted.class);
        return ((Granted) outcome).grant();
    }

    private static AcquireRequest request(LockKey key, LockId lockId, Duration maxWait) {
        return new AcquireRequest(key, lockId, TTL, HOLDER, 1, maxWait);
    }

    private static String dump() {
        return String.valueOf(server.call("HGETALL", "fenceline:{abcd}")) + server.call("DBSIZE");
    }

    /** How often the server ran a command since the counts were reset, scripts' commands included. */
    private static long calls(String command) {
        String stats = server.info("cmdstat_" + command);
        return stats.isEmpty() ? 0 : Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }

    private static long writes() {
        return Stream.of("hset", "hdel", "hincrby", "pexpireat", "persist", "del", "publish", "lpush")
                .mapToLong(RedisStoreTest::calls)
                .sum();
    }
}
