package io.fenceline.redis;

import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisCounterContractTest extends LockBackendContract {

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
        return RedisFixture.on(server, options -> options.withTokenMode(TokenMode.COUNTER));
    }
}
