package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A Redis with the names that SyncGuard has for one lock. */
abstract class SyncGuardKeys {

    static final LockKey KEY = LockKey.of("orders/42:caf\u00e9");
    static final String LOCK = "syncguard:orders/42:caf\u00e9";
    static final String FENCE = "syncguard:fence:syncguard:orders/42:caf\u00e9";
    static final Holder HOLDER = Holder.of("node-a:12345");
    static final Duration TTL = Duration.ofSeconds(30);
    static final String LOCK_ID = "ABCDEFGHIJKLMNOPQRSTUg";
    static final String INDEX = "syncguard:id:" + LOCK_ID;

    static RedisServer server;

    RedisLockBackend backend;

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
        backend = open("syncguard");
    }

    static RedisLockBackend open(String prefix) {
        return RedisLockBackend.open(server.uri(), RedisOptions.defaults().withLayout(KeyLayout.syncGuard(prefix)));
    }

    @AfterEach
    void close() {
        backend.close();
    }

    static String record(String expires, long acquired) {
        return "{\"lockId\":\"" + LOCK_ID + "\",\"expiresAtMs\":" + expires + ",\"acquiredAtMs\":" + acquired
                + ",\"key\":\"orders\\/42:caf\u00e9\",\"fence\":\"000000000000007\"}";
    }

    static void plant(String record) {
        server.call("SET", LOCK, record, "PX", "30000");
        server.call("SET", INDEX, LOCK, "PX", "30000");
    }

    static long now() {
        List<?> time = (List<?>) server.call("TIME");
        return Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
    }

    static long pttl(String name) {
        return (Long) server.call("PTTL", name);
    }

    Grant take() {
        return granted(backend.acquire(request(KEY)));
    }

    Contended refused() {
        return (Contended) backend.acquire(request(KEY));
    }

    static Grant granted(Acquisition outcome) {
        assertThat(outcome).isInstanceOf(Granted.class);
        return ((Granted) outcome).grant();
    }

    static AcquireRequest request(LockKey key) {
        return AcquireRequest.of(key, LockId.random(), TTL, HOLDER);
    }
}
