package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is special about guarding Redis. */
class RedisFenceGuardTest extends GuardedRedis {

    @Test
    @Tag("R3")
    void everyOperationIsOneRoundTrip() {
        everything().forEach(Runnable::run);

        for (Runnable operation : everything()) {
            assertThat(proxy.roundTrips().countDuring(operation)).isEqualTo(1);
        }
    }

    private List<Runnable> everything() {
        return List.of(
                () -> guard.claim(KEY, stamp(34)),
                () -> guard.check(KEY, stamp(34)),
                () -> guard.highest(KEY),
                () -> guard.set(KEY, "value", stamp(34)),
                () -> guard.set(KEY, "value", Duration.ofMinutes(1), stamp(34)),
                () -> guard.get(KEY),
                () -> guard.hset("hash", Map.of("a", "1", "b", "2"), stamp(34)),
                () -> guard.hgetAll("hash"),
                () -> guard.run("return redis.call('INCR', KEYS[1])", List.of("counter"), List.of(), stamp(34)),
                () -> guard.delete(KEY, stamp(34)),
                () -> fences.clock().next("books"),
                () -> fences.clock().current("books"),
                () -> fences.clock().raise("books", FencingToken.of(1)));
    }

    /** The server would store a missing value as an empty one. */
    @Test
    void aMissingValueIsNamedAndNothingIsWritten() {
        Map<String, String> fields = new HashMap<>();
        fields.put("total", null);
        Map<ThrowingCallable, String> calls = Map.of(
                () -> guard.set(KEY, null, stamp(34)), "value",
                () -> guard.set(KEY, "value", null), "stamp",
                () -> guard.hset(KEY, fields, stamp(34)), "value of field total",
                () -> guard.run("return 1", List.of(KEY), Arrays.asList("a", null), stamp(34)), "one of the arguments",
                () -> guard.run(null, List.of(KEY), List.of(), stamp(34)), "script");

        calls.forEach((call, name) ->
                assertThatNullPointerException().isThrownBy(call).withMessage(name));

        assertThat(guard.highest(KEY)).isEmpty();
    }

    @Test
    @Tag("R5")
    void aFenceOutlivesAValueThatExpires() {
        guard.set(KEY, "value", Duration.ofMillis(30), stamp(34));
        await().atMost(Duration.ofSeconds(10)).until(() -> guard.get(KEY).isEmpty());

        assertThatThrownBy(() -> guard.set(KEY, "stale", stamp(33))).isInstanceOf(StaleTokenException.class);

        assertThat(server.call("PTTL", FENCE)).isEqualTo(-1L);
        assertThat(guard.get(KEY)).isEmpty();
    }

    @Test
    @Tag("R5")
    void aClaimTakesATtlAwayThatSomebodyGaveToTheFence() {
        guard.claim(KEY, stamp(34));
        server.call("EXPIRE", FENCE, "100");

        guard.claim(KEY, stamp(34));

        assertThat(server.call("PTTL", FENCE)).isEqualTo(-1L);
    }

    @Test
    void aValueWithoutATtlLosesTheOneThatItHad() {
        guard.set(KEY, "value", Duration.ofMinutes(5), stamp(34));
        assertThat((Long) server.call("PTTL", KEY)).isPositive();

        guard.set(KEY, "value", stamp(34));

        assertThat(server.call("PTTL", KEY)).isEqualTo(-1L);
    }

    @Test
    void aHashKeepsItsOtherFields() {
        guard.hset(KEY, Map.of("status", "open", "total", "100"), stamp(33));

        guard.hset(KEY, Map.of("status", "paid"), stamp(34));

        assertThat(guard.hgetAll(KEY)).containsOnly(Map.entry("status", "paid"), Map.entry("total", "100"));
    }

    @Test
    void aDeleteTellsWhetherThereWasSomething() {
        guard.set(KEY, "value", stamp(34));

        assertThat(guard.delete(KEY, stamp(34))).isTrue();
        assertThat(guard.delete(KEY, stamp(34))).isFalse();
    }

    @Test
    @Tag("R2")
    void everyKindOfWriteIsTheOneOfItsGrant() {
        RedisFenceGuard once = fences.guard(FenceRule.ONCE);
        List<Consumer<FenceStamp>> writes = List.of(
                stamp -> once.set(KEY, "value", stamp),
                stamp -> once.set(KEY, "value", Duration.ofMinutes(1), stamp),
                stamp -> once.delete(KEY, stamp),
                stamp -> once.hset(KEY, Map.of("a", "1"), stamp),
                stamp -> once.run("return 1", List.of(KEY), List.of(), stamp));
        long token = 33;
        for (Consumer<FenceStamp> write : writes) {
            FenceStamp grant = stamp(++token);
            write.accept(grant);
            assertThatThrownBy(() -> write.accept(grant))
                    .as("write of token %s", grant.token())
                    .isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    @Tag("R2")
    void anEffectThatRedisRefusesCountsAsAClaim() {
        RedisFenceGuard once = fences.guard(FenceRule.ONCE);
        server.call("SET", KEY, "no hash");

        assertThatThrownBy(() -> once.hset(KEY, Map.of("a", "1"), stamp(34)))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> once.run("return redis.error_reply('ERR no')", List.of(KEY), List.of(), stamp(34)))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("no");
        // It may have written before, whatever its first word is.
        for (String script : List.of(
                "return redis.error_reply('BUSY slot')",
                "return {1, {err = 'BUSY slot'}}",
                "error({err = 'BUSY slot'})",
                "error('BUSY slot')")) {
            assertThatThrownBy(() -> once.run(script, List.of(KEY), List.of(), stamp(34)))
                    .as(script)
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failed -> assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN))
                    .hasMessageContaining("BUSY slot");
        }

        assertThat(once.check(KEY, stamp(33))).isEqualTo(new Verdict.Stale(FencingToken.of(34)));
        once.set(KEY, "done", stamp(34));
        assertThatThrownBy(() -> once.set(KEY, "twice", stamp(34))).isInstanceOf(StaleTokenException.class);
    }

    @Test
    @Tag("R5")
    void aFullMemoryRefusesWritesAndLetsClaimsAndDeletesThrough() {
        guard.set(KEY, "value", stamp(33));
        server.call("CONFIG", "SET", "maxmemory", "1");
        try {
            BackendException full =
                    catchThrowableOfType(BackendException.class, () -> guard.set(KEY, "another", stamp(34)));
            assertThat(full.code()).isEqualTo(ErrorCode.RATE_LIMITED);
            assertThat(full.effect()).isEqualTo(Effect.NONE);
            assertThat(guard.highest(KEY)).contains(stamp(33));

            guard.claim(KEY, stamp(35));
            assertThat(guard.delete(KEY, stamp(36))).isTrue();
            assertThat(guard.highest(KEY)).contains(stamp(36));
        } finally {
            server.call("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    @Tag("R7")
    void fencelinesOwnKeysAreNoData() {
        try (RedisLockBackend locks = RedisLockBackend.open(server.uri(), OPTIONS)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> guard.delete("fenceline:{invoice:42}", stamp(1)))
                    .withMessageContaining("fenceline:{invoice:42}");
            assertThatIllegalArgumentException().isThrownBy(() -> guard.set(FENCE, "0", stamp(1)));
            assertThat(locks.lookup(LockKey.of(KEY))).isEmpty();
        }
    }

    @Test
    void badArgumentsAreNamedBeforeAnythingIsSent() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> guard.hset(KEY, Map.of(), stamp(1)))
                .withMessageContaining(KEY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> guard.run("return 1", List.of(), List.of(), stamp(1)))
                .withMessageContaining("key");
        assertThatIllegalArgumentException().isThrownBy(() -> guard.set(KEY, "v", Duration.ZERO, stamp(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> guard.set("", "v", stamp(1)));
        assertThat(server.call("DBSIZE")).isEqualTo(0L);
    }

    @Test
    @Tag("R3")
    void aWriteThatTooFewReplicasHaveIsOfUnknownEffect() {
        RedisOptions acknowledged = OPTIONS.withAcknowledgement(Acknowledgement.of(1, Duration.ofMillis(20)));
        try (RedisFences alone = RedisFences.open(server.uri(), acknowledged)) {
            BackendException failure = catchThrowableOfType(
                    BackendException.class,
                    () -> alone.guard(FenceRule.AT_LEAST).set(KEY, "value", stamp(34)));
            assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(failure).hasMessageContaining("0 of 1 replicas");
            assertThatThrownBy(() -> alone.guard(FenceRule.AT_LEAST).set(KEY, "stale", stamp(33)))
                    .isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    @Tag("R3")
    void aWriteThatAReplicaAcknowledgedSucceeds() {
        try (RedisServer replica =
                        RedisServer.start(RedisSettings.inMemory().with("replicaof", "127.0.0.1 " + server.port()));
                RedisFences acknowledged = RedisFences.open(
                        server.uri(), OPTIONS.withAcknowledgement(Acknowledgement.of(1, Duration.ofSeconds(9))))) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> replica.info("master_link_status").equals("up"));

            acknowledged.guard(FenceRule.AT_LEAST).set(KEY, "value", stamp(34));

            assertThat(replica.call("GET", KEY)).isEqualTo("value");
            assertThat(replica.call("HGET", FENCE, "highest")).isEqualTo("34");
        }
    }

    @Test
    @Tag("R7")
    void aKeyOfAnotherLockIsRefusedWithItsOwner() {
        guard.set(KEY, "value", stamp(34));
        FenceStamp foreign = new FenceStamp(LockKey.of("another"), FencingToken.of(99));

        ForeignTokenException refusal = catchThrowableOfType(
                ForeignTokenException.class, () -> guard.run("return 1", List.of(KEY), List.of(), foreign));

        assertThat(refusal.owner()).isEqualTo(stamp(1).key());
    }

    @Test
    void aClockKeepsItsNumberWithoutATtlAndIsNotBehindTheServersTime() {
        FencingToken taken = fences.clock().next("books");

        assertThat(server.call("PTTL", "fenceline:clock:{books}")).isEqualTo(-1L);
        server.flush();
        assertThat(fences.clock().next("books")).isGreaterThan(taken);
    }

    @Test
    void aClockWithoutNumbersLeftSaysSo() {
        fences.clock().raise("books", FencingToken.of(FencingToken.MAX_VALUE));

        assertThatThrownBy(() -> fences.clock().next("books"))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("books")
                .hasMessageContaining("900000000000000");
    }
}
