package io.fenceline.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Backends;
import io.fenceline.guard.FenceRule;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.GuardStressContract;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.StressedData;
import org.junit.jupiter.api.Nested;

/** Two processes that change a text in transactions of Spring, and are stopped while they hold its lock. */
class TransactionStressTest {

    @Nested
    class OfJdbc extends OnPostgres {
        @Override
        protected Class<? extends StressedData> data() {
            return ByJdbc.class;
        }
    }

    @Nested
    class OfJpaWithSnapshots extends OnPostgres {
        @Override
        protected Class<? extends StressedData> data() {
            return ByJpa.class;
        }
    }

    abstract static class OnPostgres extends GuardStressContract {

        private final PostgresServer server = TestDatabase.postgres();
        private final String data = TestDatabase.POSTGRESQL.newGuardedUrl();
        private final String locks = server.newDatabase();

        @Override
        protected String locks() {
            String uri = server.uri(locks);
            try (LockBackend backend = Backends.open(uri)) {
                backend.ability(SchemaControl.class).orElseThrow().installSchema();
            }
            return uri;
        }

        @Override
        protected String address() {
            return data;
        }
    }

    static final class ByJdbc extends Stressed {
        ByJdbc() {
            super(TransactionManagers.JDBC, "TRANSACTION_READ_COMMITTED");
        }
    }

    static final class ByJpa extends Stressed {
        ByJpa() {
            super(TransactionManagers.JPA, "TRANSACTION_REPEATABLE_READ");
        }
    }

    abstract static class Stressed implements StressedData {

        private final TransactionManagers managers;
        private final String isolation;
        private HikariDataSource source;
        private TransactionManagers.Opened opened;

        Stressed(TransactionManagers managers, String isolation) {
            this.managers = managers;
            this.isolation = isolation;
        }

        private TransactionManagers.Opened open(String address) {
            source = TestDatabase.pool(address, isolation);
            opened = managers.open(source);
            return opened;
        }

        @Override
        public GuardedData guarded(String address) {
            open(address);
            return TransactionalData.guarded(opened.manager(), opened.texts(), source, FenceRule.AT_LEAST);
        }

        @Override
        public GuardedData unguarded(String address) {
            open(address);
            return TransactionalData.unguarded(opened.manager(), opened.texts());
        }

        @Override
        public void close() {
            opened.closing().run();
            source.close();
        }
    }
}
