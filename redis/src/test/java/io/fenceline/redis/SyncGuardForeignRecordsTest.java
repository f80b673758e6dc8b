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
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records in a Redis that is shared with SyncGuard, each taken for a lock, for a counter, or for neither. */
class SyncGuardForeignRecordsTest extends SyncGuardKeys {

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
        assertThat(refused().remaining()).isEqualTo(LockOptions.MAX_TTL);
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
}
