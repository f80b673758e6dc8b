package io.fenceline.benchmarks.contender;

import io.fenceline.benchmarks.store.StoreAddress;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** Lettuce's synchronous commands over one connection, which all threads share. */
final class RawLettuceClient implements LockClient {

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String acquire;
    private final String release;

    private RawLettuceClient(RedisClient client) {
        this.client = client;
        this.connection = client.connect();
        this.acquire = connection.sync().scriptLoad(RawScripts.ACQUIRE);
        this.release = connection.sync().scriptLoad(RawScripts.RELEASE);
    }

    static LockClient open(StoreAddress address) {
        return new RawLettuceClient(RedisClient.create(address.uri()));
    }

    @Override
    public KeyLock lock(String key) {
        RedisCommands<String, String> commands = connection.sync();
        Owners owners = new Owners();
        String[] keys = {RawScripts.PREFIX + key};
        return new Polling(Duration.ofMillis(1)) {
            private String owner;

            @Override
            long tryAcquire() {
                owner = owners.next();
                return commands.<Long>evalsha(acquire, ScriptOutputType.INTEGER, keys, owner, RawScripts.TTL_MILLIS);
            }

            @Override
            public void release() {
                commands.<Long>evalsha(release, ScriptOutputType.INTEGER, keys, owner);
            }
        };
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
