package io.fenceline.redis;

import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.OutageContract;
import io.fenceline.testkit.OutageFixture;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

class RedisLockBackendContractTest extends LockBackendContract {

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
        return RedisFixture.on(server);
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return RedisFixture.on(server);
        }
    }

    @Nested
    class CatalogOfCounters extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return RedisFixture.on(server, options -> options.withTokenMode(TokenMode.COUNTER));
        }
    }

    @Nested
    class Signals extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return RedisFixture.on(server);
        }
    }

    @Nested
    class Successions extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return RedisFixture.on(server);
        }
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return RedisFixture.on(server);
        }
    }
}
