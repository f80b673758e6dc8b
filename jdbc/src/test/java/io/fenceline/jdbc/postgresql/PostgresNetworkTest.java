package io.fenceline.jdbc.postgresql;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ElectionNetworkContract;
import io.fenceline.testkit.NetworkFaultContract;
import io.fenceline.testkit.ProxiedFixture;
import io.fenceline.testkit.RoundTripContract;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Nested;
import org.postgresql.ds.PGSimpleDataSource;

/** What the network does to a backend on PostgreSQL, and how often the backend uses it. */
class PostgresNetworkTest {

    @Nested
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

    @Nested
    class RoundTripsOnVersion1 extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new NetworkFixture(Duration.ofSeconds(5), TestServer.borrowSchemaOfVersion1());
        }
    }

    @Nested
    class Elections extends ElectionNetworkContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new NetworkFixture(Duration.ofMillis(700));
        }
    }

    /** Waits no longer for a connection than for an answer. */
    private static final class NetworkFixture implements ProxiedFixture {

        private final FaultProxy proxy =
                FaultProxy.to("127.0.0.1", TestServer.shared().port());
        private final String schema;
        private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();
        private final Duration limit;

        NetworkFixture(Duration limit) {
            this(limit, TestServer.borrowSchema());
        }

        NetworkFixture(Duration limit, String schema) {
            this.limit = limit;
            this.schema = schema;
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
            PGSimpleDataSource source = TestServer.dataSource(TestServer.shared());
            source.setPortNumbers(new int[] {port});
            source.setConnectTimeout(1);
            source.setSocketTimeout(2);
            HikariDataSource pool = new HikariDataSource();
            pool.setDataSource(source);
            pool.setMinimumIdle(0);
            pool.setMaximumPoolSize(4);
            pool.setConnectionTimeout(1_000);
            pool.setValidationTimeout(250);
            pools.add(pool);
            LockBackend backend = JdbcLockBackend.on(
                    pool,
                    JdbcOptions.defaults().withTable(schema + ".fenceline_lock").withAnswerLimit(limit));
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
            TestServer.giveBack(schema);
        }

        private void closeAll() {
            open.forEach(LockBackend::close);
            open.clear();
            pools.forEach(HikariDataSource::close);
            pools.clear();
        }
    }
}
