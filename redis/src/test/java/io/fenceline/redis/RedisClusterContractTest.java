package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockCatalog;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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

    /** With a hash tag in the prefix all that belongs to a lock is on one node, also what the scripts find by themselves. */
    @Nested
    class SharedWithSyncGuard {

        private final LockKey key = LockKey.of("a{b}c");

        @Test
        void doesAllThatOneServerDoes() {
            cluster.flush();
            try (RedisLockBackend backend =
                    RedisLockBackend.over(client, OPTIONS.withLayout(KeyLayout.syncGuard("{sg}")))) {
                AcquireRequest request =
                        AcquireRequest.of(key, LockId.random(), Duration.ofSeconds(30), Holder.of("node-a"));
                Grant grant = ((Granted) backend.acquire(request)).grant();
                LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();

                assertThat(backend.acquire(
                                AcquireRequest.of(key, LockId.random(), Duration.ofSeconds(30), Holder.of("node-b"))))
                        .isInstanceOf(Contended.class);
                assertThat(backend.lookup(grant.lockId()).orElseThrow().raw()).isEqualTo(grant);
                assertThat(catalog.list("a", 10)).hasSize(1);
                assertThat(backend.extend(key, grant.lockId(), Duration.ofMinutes(1)))
                        .isPresent();
                assertThat(catalog.forceRelease(key, Holder.of("operator"))).isPresent();
                assertThat(catalog.raiseToken(key, FencingToken.of(9), Holder.of("operator")))
                        .isEqualTo(FencingToken.of(9));
                Grant next = ((Granted) backend.acquire(request)).grant();
                assertThat(next.token()).isEqualTo(FencingToken.of(10));
                assertThat(backend.release(key, next.lockId())).isTrue();
            }
        }

        @Test
        void isRefusedWithoutAHashTag() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RedisLockBackend.over(client, OPTIONS.withLayout(KeyLayout.syncGuard("sg"))))
                    .withMessageContaining("{sg}");
        }
    }
}
