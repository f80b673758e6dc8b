package io.fenceline.redis;

import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Three masters with a replica each. */
class RedisClusterContractTest extends LockBackendContract {

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    protected BackendFixture newFixture() {
        return newStore();
    }

    private static BackendFixture newStore() {
        return new ReplicatedFixture(cluster.uri(), cluster::flush);
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
