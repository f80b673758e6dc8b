package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.testkit.net.FaultProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A Redis of its own for each test, behind a proxy. */
@Timeout(60)
abstract class ProxiedRedis {

    static final LockKey KEY = LockKey.of("invoice:42");
    static final RedisOptions QUICK = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));

    RedisServer server;
    FaultProxy proxy;
    RedisLockBackend backend;

    @BeforeEach
    void open() {
        server = RedisServer.start(RedisSettings.inMemory());
        proxy = FaultProxy.to("127.0.0.1", server.port());
        backend = RedisLockBackend.open("redis://127.0.0.1:" + proxy.port(), QUICK);
        backend.isLocked(KEY);
    }

    @AfterEach
    void close() {
        backend.close();
        proxy.close();
        server.close();
    }

    void take(LockId lockId) {
        assertThat(backend.acquire(request(lockId))).isInstanceOf(Granted.class);
    }

    void recover() {
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().untilAsserted(() -> backend.isLocked(KEY));
    }

    static AcquireRequest request(LockId lockId) {
        return AcquireRequest.of(KEY, lockId, Duration.ofMinutes(1), Holder.of("node"));
    }

    static AcquireRequest patient(LockId lockId) {
        return new AcquireRequest(KEY, lockId, Duration.ofMinutes(1), Holder.of("waiter"), 1, Duration.ofMinutes(1));
    }

    static BackendException failureOf(ThrowingCallable call) {
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }

    static boolean contains(byte[] request, LockId lockId) {
        return new String(request, StandardCharsets.ISO_8859_1).contains(lockId.text());
    }
}
