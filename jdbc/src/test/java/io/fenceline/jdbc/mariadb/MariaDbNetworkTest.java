package io.fenceline.jdbc.mariadb;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.NetworkFaultContract;
import io.fenceline.testkit.ProxiedFixture;
import io.fenceline.testkit.RoundTripContract;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What the network does to a backend on MariaDB ({@code -Dfenceline.long=true}), and how often the backend uses it. */
class MariaDbNetworkTest {

    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class Faults extends NetworkFaultContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new NetworkFixture(Duration.ofMillis(1_500));
        }
    }

    @Nested
    class RoundTrips extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new NetworkFixture(Duration.ofSeconds(5));
        }
    }

    /** Waits no longer for a connection than for an answer. */
    private static final class NetworkFixture implements ProxiedFixture {

        private final FaultProxy proxy =
                FaultProxy.to("127.0.0.1", TestServer.shared().port());
        private final String database = TestServer.borrowDatabase();
        private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();
        private final Duration limit;

        NetworkFixture(Duration limit) {
            this.limit = limit;
        }

        @Override
        public LockBackend open() {
            return open(proxy.port());
        }

        @Override
        public LockBackend openBeside() {
            return open(TestServer.shared().port());
        }

        private LockBackend open(int port) {
            HikariDataSource pool = new HikariDataSource();
            pool.setDataSource(TestServer.dataSource("jdbc:mariadb://127.0.0.1:" + port + "/" + database
                    + "?user=root&connectTimeout=1000&socketTimeout=2000"));
            pool.setMinimumIdle(0);
            pool.setMaximumPoolSize(4);
            pool.setConnectionTimeout(1_000);
            pool.setValidationTimeout(250);
            pools.add(pool);
            LockBackend backend =
                    JdbcLockBackend.on(pool, JdbcOptions.defaults().withAnswerLimit(limit));
            open.add(backend);
            return backend;
        }

        @Override
        public FaultProxy proxy() {
            return proxy;
        }

        @Override
        public Duration longestAnswer() {
            return limit.plusSeconds(3);
        }

        /** Below half a second, after which the pool looks whether a connection that nobody used is alive. */
        @Override
        public Duration shortTtl() {
            return Duration.ofMillis(250);
        }

        @Override
        public TokenMode tokenMode() {
            return TokenMode.COUNTER;
        }

        @Override
        public void restart() {
            closeAll();
        }

        @Override
        public void close() {
            proxy.close(); // first, since a call into a stalled network would keep a handle from being closed
            closeAll();
            TestServer.giveBack(database);
        }

        private void closeAll() {
            open.forEach(LockBackend::close);
            open.clear();
            pools.forEach(HikariDataSource::close);
            pools.clear();
        }
    }
}
