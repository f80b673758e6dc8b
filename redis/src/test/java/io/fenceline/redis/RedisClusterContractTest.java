package io.fenceline.redis;

import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Three masters with a replica each, over a client of the caller's. */
class RedisClusterContractTest extends LockBackendContract {

    private static final RedisOptions OPTIONS = RedisOptions.defaults();

    private static RedisCluster cluster;
    private static RedisClusterClient client;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(RedisSettings.inMemory());
        RedisAddress address = RedisAddress.parse(cluster.uri(), "");
        client = RedisClusterClient.create(address.nodes(OPTIONS.commandTimeout()));
        client.setOptions(
                RedisLockBackend.clusterClientOptions(OPTIONS.commandTimeout()).build());
    }

    @AfterAll
    static void stop() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        cluster.close();
    }

    @Override
    protected BackendFixture newFixture() {
        return newStore();
    }

    private static BackendFixture newStore() {
        return new ReplicatedFixture(cluster::flush, () -> RedisLockBackend.over(client, OPTIONS));
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
