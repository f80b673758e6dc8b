package io.fenceline.redis;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.testkit.GuardStressContract;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.NoGuard;
import io.fenceline.testkit.StressedData;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Two processes that change one value in Redis and are stopped while they hold its lock. */
class RedisGuardStressTest extends GuardStressContract {

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
        return Values.class;
    }

    static final class Values implements StressedData {

        private final Deque<AutoCloseable> open = new ArrayDeque<>();

        @Override
        public GuardedData guarded(String address) {
            RedisFences fences = RedisFences.open(address, RedisOptions.defaults());
            open.push(fences);
            return new FencesFixture.Values(fences.guard(FenceRule.AT_LEAST));
        }

        @Override
        public GuardedData unguarded(String address) {
            RedisClient client = RedisClient.create(address);
            open.push(client::shutdown);
            return new Unguarded(client.connect().sync());
        }

        @Override
        public void close() {
            try {
                while (!open.isEmpty()) {
                    open.pop().close();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The same with plain commands. */
    private record Unguarded(RedisCommands<String, String> redis) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return new NoGuard();
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            redis.set(resource, value);
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            redis.del(resource);
        }

        @Override
        public Optional<String> read(String resource) {
            return Optional.ofNullable(redis.get(resource));
        }
    }
}
