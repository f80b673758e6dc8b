package io.fenceline.redis;

import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.OutageContract;
import io.fenceline.testkit.OutageFixture;
import io.fenceline.testkit.ProxiedFixture;
import io.fenceline.testkit.RoundTripContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** SyncGuard's layout keeps what every backend promises, one round trip for each operation. */
class SyncGuardContractTest extends LockBackendContract {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.durable());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected BackendFixture newFixture() {
        return SyncGuardFixture.on(server);
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return SyncGuardFixture.on(server);
        }
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return SyncGuardFixture.on(server);
        }
    }

    @Nested
    class RoundTrips extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return SyncGuardFixture.behindAProxy(server);
        }
    }
}
