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
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our records in a Redis that is shared with SyncGuard, to the byte. */
class SyncGuardRecordsTest extends SyncGuardKeys {

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
}
