package io.fenceline.redis;

import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ClientProcessContract;
import io.fenceline.testkit.ClientProcessFixture;
import io.fenceline.testkit.ElectionNetworkContract;
import io.fenceline.testkit.NetworkFaultContract;
import io.fenceline.testkit.ProxiedFixture;
import io.fenceline.testkit.RoundTripContract;
import io.fenceline.testkit.TurnTakingContract;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** What the network and other processes do to a backend on Redis, and how often the backend uses the network. */
class RedisNetworkTest {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.durable());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Nested
    class Faults extends NetworkFaultContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new NetworkFixture(Duration.ofMillis(700));
        }
    }

    @Nested
    class Elections extends ElectionNetworkContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new NetworkFixture(Duration.ofMillis(700));
        }
    }

    @Nested
    class RoundTrips extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new NetworkFixture(Duration.ofSeconds(5));
        }
    }

    @Nested
    class Clients extends ClientProcessContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new NetworkFixture(Duration.ofSeconds(5));
        }
    }

    @Nested
    class Turns extends TurnTakingContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new NetworkFixture(Duration.ofSeconds(5));
        }
    }

    private static final class NetworkFixture implements ProxiedFixture, ClientProcessFixture {

        private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
        private final Duration limit;

        NetworkFixture(Duration limit) {
            this.limit = limit;
            server.flush();
        }

        @Override
        public LockBackend open() {
            return open(uri());
        }

        @Override
        public LockBackend openBeside() {
            return open("redis://127.0.0.1:" + server.port());
        }

        private LockBackend open(String uri) {
            LockBackend backend =
                    RedisLockBackend.open(uri, RedisOptions.defaults().withCommandTimeout(limit));
            open.add(backend);
            return backend;
        }

        @Override
        public String uri() {
            return "redis://127.0.0.1:" + proxy.port();
        }

        @Override
        public FaultProxy proxy() {
            return proxy;
        }

        @Override
        public Duration longestAnswer() {
            return limit.multipliedBy(2).plusSeconds(1);
        }

        @Override
        public TokenMode tokenMode() {
            return TokenMode.CLOCK_FLOOR;
        }

        @Override
        public void restart() {
            open.forEach(LockBackend::close);
            open.clear();
        }

        @Override
        public void close() {
            proxy.close(); // first, since a call into a stalled network would keep a handle from being closed
            restart();
        }
    }
}
