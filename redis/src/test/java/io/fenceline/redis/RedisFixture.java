package io.fenceline.redis;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.OutageFixture;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/** A server without data that keeps what it acknowledges. An outage is that it is stopped. */
final class RedisFixture implements OutageFixture {

    private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final RedisServer server;
    private final RedisOptions options;

    private RedisFixture(RedisServer server, RedisOptions options) {
        this.server = server;
        this.options = options;
        server.flush();
    }

    static RedisFixture on(RedisServer server) {
        return on(server, UnaryOperator.identity());
    }

    static RedisFixture on(RedisServer server, UnaryOperator<RedisOptions> change) {
        return new RedisFixture(server, change.apply(RedisOptions.defaults()));
    }

    @Override
    public RedisLockBackend open() {
        RedisLockBackend backend = RedisLockBackend.open(server.uri(), options);
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return options.tokenMode();
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(250);
    }

    @Override
    public int cycles() {
        return 100;
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return internalNames(options.keyPrefix(), key, lockId);
    }

    static List<String> internalNames(String prefix, LockKey key, LockId lockId) {
        return List.of(
                prefix + ":{" + key + "}",
                prefix + ":{" + key + "}:audit",
                key + "}:audit",
                "{" + key + "}",
                key + "}",
                key + "%7D",
                key + "%257D",
                "w:" + lockId.text(),
                prefix + ":waiter:",
                lockId.text());
    }

    @Override
    public void restart() {
        closeAll();
        server.kill();
        server.startAgain();
    }

    @Override
    public boolean loseEverything() {
        closeAll();
        server.flush();
        return true;
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
