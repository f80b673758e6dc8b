package io.fenceline.redis;

import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ElectionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisElectionTest extends ElectionContract {

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
}
