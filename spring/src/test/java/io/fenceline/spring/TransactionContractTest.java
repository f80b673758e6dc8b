package io.fenceline.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** Transactions of Spring keep the promises of every guard, although what writes in them knows nothing of stamps. */
class TransactionContractTest {

    @Nested
    class OfJdbcOnPostgresql extends OfTransactions {
        OfJdbcOnPostgresql() {
            super(TestDatabase.POSTGRESQL, TransactionManagers.JDBC, "TRANSACTION_READ_COMMITTED");
        }
    }

    @Nested
    class OfJpaOnPostgresqlWithSnapshots extends OfTransactions {
        OfJpaOnPostgresqlWithSnapshots() {
            super(TestDatabase.POSTGRESQL, TransactionManagers.JPA, "TRANSACTION_REPEATABLE_READ");
        }
    }

    @Nested
    class OfJpaOnMariadb extends OfTransactions {
        OfJpaOnMariadb() {
            super(TestDatabase.MARIADB, TransactionManagers.JPA, "TRANSACTION_REPEATABLE_READ");
        }
    }

    @Nested
    class OfJdbcOnH2 extends OfTransactions {
        OfJdbcOnH2() {
            super(TestDatabase.H2, TransactionManagers.JDBC, "TRANSACTION_READ_COMMITTED");
        }
    }

    abstract static class OfTransactions extends FenceGuardContract {

        private final TestDatabase database;
        private final TransactionManagers managers;
        private final String isolation;

        OfTransactions(TestDatabase database, TransactionManagers managers, String isolation) {
            this.database = database;
            this.managers = managers;
            this.isolation = isolation;
        }

        @Override
        protected GuardFixture newFixture() {
            return new Fixture(managers, database.newGuardedUrl(), isolation);
        }
    }

    private static final class Fixture implements GuardFixture {

        private final TransactionManagers managers;
        private final String url;
        private final String isolation;
        private final List<Runnable> closings = new ArrayList<>();

        Fixture(TransactionManagers managers, String url, String isolation) {
            this.managers = managers;
            this.url = url;
            this.isolation = isolation;
        }

        @Override
        public GuardedData open(FenceRule rule, LockListener... listeners) {
            HikariDataSource source = TestDatabase.pool(url, isolation);
            TransactionManagers.Opened opened = managers.open(source);
            closings.add(opened.closing());
            closings.add(source::close);
            return TransactionalData.guarded(opened.manager(), opened.texts(), source, rule, listeners);
        }

        @Override
        public void restart() {
            closings.forEach(Runnable::run);
            closings.clear();
        }

        @Override
        public void close() {
            restart();
        }
    }
}
