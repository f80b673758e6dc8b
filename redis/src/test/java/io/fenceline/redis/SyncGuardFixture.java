package io.fenceline.redis;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.OutageFixture;
import io.fenceline.testkit.ProxiedFixture;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server without data, in SyncGuard's layout, reached directly or through a proxy. */
final class SyncGuardFixture implements OutageFixture, ProxiedFixture {

    static final String PREFIX = "syncguard";

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final RedisServer server;
    private final FaultProxy proxy;
    private final int port;

    private SyncGuardFixture(RedisServer server, FaultProxy proxy, int port) {
        this.server = server;
        this.proxy = proxy;
        this.port = port;
        server.flush();
    }

    static SyncGuardFixture on(RedisServer server) {
        return new SyncGuardFixture(server, FaultProxy.to("127.0.0.1", server.port()), server.port());
    }

    static SyncGuardFixture behindAProxy(RedisServer server) {
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        return new SyncGuardFixture(server, proxy, proxy.port());
    }

    @Override
    public RedisLockBackend open() {
        return open(port);
    }

    @Override
    public RedisLockBackend openBeside() {
        return open(server.port());
    }

    private RedisLockBackend open(int at) {
        RedisLockBackend backend = RedisLockBackend.open(
                "redis://127.0.0.1:" + at + "?layout=syncguard&prefix=" + PREFIX,
                RedisOptions.defaults().withCommandTimeout(LIMIT));
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(300);
    }

    @Override
    public int cycles() {
        return 25;
    }

    /** What is refused is shown by {@link SyncGuardNamesTest}. */
    @Override
    public boolean takes(LockKey key) {
        return !key.value().matches("id:[A-Za-z0-9_-]{22}");
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of(
                "syncguard:" + key,
                "fence:" + key,
                "fence",
                "id",
                "id:" + key,
                "id:" + lockId.text() + "x",
                ":id:" + lockId.text(),
                ":fence:syncguard:" + key,
                "syncguard:fence:syncguard:" + key,
                "syncguard:id:" + lockId.text(),
                "syncguard#audit:syncguard:" + key,
                lockId.text());
    }

    @Override
    public FaultProxy proxy() {
        return proxy;
    }

    @Override
    public Duration longestAnswer() {
        return LIMIT.multipliedBy(2).plusSeconds(1);
    }

    @Override
    public void restart() {
        closeAll();
        server.kill();
        server.startAgain();
    }

    @Override
    public void stopStore() {
        server.stop();
    }

    @Override
    public void startStore() {
        server.startAgain();
    }

    @Override
    public void close() {
        proxy.close(); // first, since a call into a stalled network would keep a handle from being closed
        closeAll();
        if (!server.isRunning()) {
            server.startAgain();
        }
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
    }
}
