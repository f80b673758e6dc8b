package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three masters with a replica each, over a client of the caller's. */
class RedisFenceGuardClusterTest {

    private static final RedisOptions OPTIONS =
            RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(20)); // of a busy machine
    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("lock"), FencingToken.of(34));

    private static RedisCluster cluster;
    private static RedisClusterClient client;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(RedisSettings.inMemory());
        client = RedisClusterClient.create(RedisAddress.parse(cluster.uri(), "").nodes(OPTIONS.commandTimeout()));
        client.setOptions(
                RedisLockBackend.clusterClientOptions(OPTIONS.commandTimeout()).build());
    }

    @AfterAll
    static void stop() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        cluster.close();
    }

    @BeforeEach
    void empty() {
        cluster.flush();
    }

    @Nested
    class Contract extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencesFixture(() -> RedisFences.over(client, OPTIONS), () -> {}, FencesFixture.Values::new);
        }
    }

    @Test
    @Tag("R3")
    void runsAScriptOverAllKeysOfATag() {
        try (RedisFences fences = RedisFences.open(cluster.uri(), OPTIONS)) {
            RedisFenceGuard guard = fences.guard(FenceRule.AT_LEAST);
            guard.set("{invoice:42}:from", "100", STAMP);

            guard.run(
                    "redis.call('DECRBY', KEYS[1], ARGV[1]) redis.call('INCRBY', KEYS[2], ARGV[1])",
                    List.of("{invoice:42}:from", "{invoice:42}:to"),
                    List.of("30"),
                    STAMP);

            assertThat(guard.get("{invoice:42}:from")).contains("70");
            assertThat(guard.get("{invoice:42}:to")).contains("30");
        }
    }

    @Test
    void listsTheFencesOfAllMasters() {
        try (RedisFences fences = RedisFences.open(cluster.uri(), OPTIONS)) {
            for (int i = 10; i < 40; i++) {
                fences.guard(FenceRule.AT_LEAST).claim("invoice:" + i, STAMP);
            }

            assertThat(fences.catalog().list("invoice:", 100)).hasSize(30);
        }
    }
}
