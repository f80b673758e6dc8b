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
import io.fenceline.spi.Acquisition.Granted;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** A Redis that we and SyncGuard's processes share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
abstract class SyncGuardStore {

    static final String KEY = "orders/42:café";
    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration LONGER = Duration.ofMinutes(10);
    static final Holder HOLDER = Holder.of("node-a:12345");

    RedisServer server;
    RedisLockBackend ours;
    SyncGuardPeer theirs;

    /** Opens a peer on a server. */
    abstract SyncGuardPeer open(int port, String prefix);

    @BeforeAll
    void start() {
        server = RedisServer.start(RedisSettings.inMemory());
        ours = RedisLockBackend.open(
                server.uri(), RedisOptions.defaults().withLayout(KeyLayout.syncGuard("syncguard")));
        theirs = open(server.port(), "syncguard");
    }

    @BeforeEach
    void empty() {
        server.flush();
    }

    @AfterAll
    void stop() {
        if (theirs != null) {
            theirs.close();
        }
        if (ours != null) {
            ours.close();
            server.close();
        }
    }

    Grant take(String key) {
        return granted(ours.acquire(request(key)));
    }

    static Grant granted(Acquisition outcome) {
        assertThat(outcome).isInstanceOf(Granted.class);
        return ((Granted) outcome).grant();
    }

    static AcquireRequest request(String key) {
        return AcquireRequest.of(LockKey.of(key), LockId.random(), TTL, HOLDER);
    }
}
