package io.fenceline.benchmarks.contender;

import io.fenceline.benchmarks.store.StoreAddress;
import java.time.Duration;
import java.util.List;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;

/** Jedis over blocking sockets, 16 in a pool. */
final class RawJedisClient implements LockClient {

    private static final int CONNECTIONS = 16;

    private final RedisClient jedis;
    private final String acquire;
    private final String release;

    private RawJedisClient(RedisClient jedis) {
        this.jedis = jedis;
        this.acquire = jedis.scriptLoad(RawScripts.ACQUIRE);
        this.release = jedis.scriptLoad(RawScripts.RELEASE);
    }

    static LockClient open(StoreAddress address) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(CONNECTIONS);
        pool.setMaxIdle(CONNECTIONS);
        return new RawJedisClient(RedisClient.builder()
                .hostAndPort(address.host(), address.port())
                .poolConfig(pool)
                .build());
    }

    @Override
    public KeyLock lock(String key) {
        Owners owners = new Owners();
        List<String> keys = List.of(RawScripts.PREFIX + key);
        return new Polling(Duration.ofMillis(1)) {
            private String owner;

            @Override
            long tryAcquire() {
                owner = owners.next();
                return (Long) jedis.evalsha(acquire, keys, List.of(owner, RawScripts.TTL_MILLIS));
            }

            @Override
            public void release() {
                jedis.evalsha(release, keys, List.of(owner));
            }
        };
    }

    @Override
    public void close() {
        jedis.close();
    }
}
