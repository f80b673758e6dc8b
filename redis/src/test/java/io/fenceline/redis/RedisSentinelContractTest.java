package io.fenceline.redis;

import io.fenceline.servers.RedisSentinel;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** A master with a replica, found through three Sentinels. */
class RedisSentinelContractTest extends LockBackendContract {

    private static RedisSentinel sentinel;

    @BeforeAll
    static void start() {
        sentinel = RedisSentinel.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        sentinel.close();
    }

    @Override
    protected BackendFixture newFixture() {
        return newStore();
    }

    private static BackendFixture newStore() {
        return new ReplicatedFixture(sentinel.uri(), () -> sentinel.master().flush());
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
