package io.fenceline.redis;

import io.fenceline.servers.RedisSentinel;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** A master with a replica, found through three Sentinels, over a client of the caller's. */
class RedisSentinelContractTest extends LockBackendContract {

    private static final RedisOptions OPTIONS = RedisOptions.defaults();

    private static RedisSentinel sentinel;
    private static RedisClient client;
    private static RedisURI address;

    @BeforeAll
    static void start() {
        sentinel = RedisSentinel.start(RedisSettings.inMemory());
        address = RedisAddress.parse(sentinel.uri(), "").single(OPTIONS.commandTimeout());
        client = RedisClient.create();
        client.setOptions(
                RedisLockBackend.clientOptions(OPTIONS.commandTimeout()).build());
    }

    @AfterAll
    static void stop() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        sentinel.close();
    }

    @Override
    protected BackendFixture newFixture() {
        return newStore();
    }

    private static BackendFixture newStore() {
        return new ReplicatedFixture(
                () -> sentinel.master().flush(), () -> RedisLockBackend.over(client, address, OPTIONS));
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return newStore();
        }
    }

    @Nested
    class Signals extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return newStore();
        }
    }

    @Nested
    class Successions extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return newStore();
        }
    }
}
