package io.fenceline.redis;

import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.LeaderStressContract;
import io.fenceline.testkit.StressedData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Leaders on Redis that are stopped, killed and told to step down, and write one guarded value. */
class RedisLeaderStressTest extends LeaderStressContract {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected String locks() {
        return server.uri();
    }

    @Override
    protected Class<? extends StressedData> data() {
        return RedisGuardStressTest.Values.class;
    }
}
