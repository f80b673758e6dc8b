package io.fenceline.jdbc.syncguard;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.ProxiedFixture;
import io.fenceline.testkit.RoundTripContract;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.postgresql.ds.PGSimpleDataSource;

/** A transaction with its locks is one round trip, as is everything else. */
class SyncGuardRoundTripTest {

    @Nested
    class WithPreparedStatements extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new ProxiedTables(source -> {});
        }
    }

    @Nested
    class WithoutPreparedStatementsAsBehindATransactionPooler extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new ProxiedTables(source -> source.setPrepareThreshold(0));
        }
    }

    @Nested
    class WithTextsOfAnUnspecifiedType extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new ProxiedTables(source -> source.setStringType("unspecified"));
        }
    }

    private static final class ProxiedTables extends SyncGuardFixture implements ProxiedFixture {

        private final FaultProxy proxy =
                FaultProxy.to("127.0.0.1", tables.server().port());
        private final HikariDataSource pool = new HikariDataSource();

        ProxiedTables(Consumer<PGSimpleDataSource> settings) {
            PGSimpleDataSource source = tables.source();
            source.setPortNumbers(new int[] {proxy.port()});
            settings.accept(source);
            pool.setDataSource(source);
            pool.setMinimumIdle(0);
            pool.setMaximumPoolSize(4);
        }

        @Override
        DataSource source() {
            return pool;
        }

        @Override
        public LockBackend openBeside() {
            return open(tables.pool());
        }

        @Override
        public FaultProxy proxy() {
            return proxy;
        }

        @Override
        public Duration longestAnswer() {
            return Duration.ofSeconds(8);
        }

        @Override
        public void close() {
            proxy.close();
            super.close();
            pool.close();
        }
    }
}
