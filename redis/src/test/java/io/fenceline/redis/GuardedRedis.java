package io.fenceline.redis;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A guard on Redis, behind a proxy. */
abstract class GuardedRedis {

    static final String KEY = "invoice:42";
    static final String FENCE = "fenceline:fence:{invoice:42}";
    static final RedisOptions OPTIONS = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(10));

    static RedisServer server;

    FaultProxy proxy;
    RedisFences fences;
    RedisFenceGuard guard;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.flush();
        proxy = FaultProxy.to("127.0.0.1", server.port());
        fences = RedisFences.open("redis://127.0.0.1:" + proxy.port(), OPTIONS);
        guard = fences.guard(FenceRule.AT_LEAST);
    }

    @AfterEach
    void close() {
        fences.close();
        proxy.close();
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock of invoices"), FencingToken.of(token));
    }
}
