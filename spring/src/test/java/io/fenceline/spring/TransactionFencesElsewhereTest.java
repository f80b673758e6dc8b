package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions on replicas and other databases, and of managers that take no listeners. */
class TransactionFencesElsewhereTest extends FencedTransactions {

    /** A replica refuses writes by another error than a read-only transaction. */
    @Test
    void letsATransactionReadFromAReplicaOfMariadb() {
        open(TestDatabase.MARIADB, "TRANSACTION_REPEATABLE_READ", FenceRule.AT_LEAST);
        jdbc.execute("create or replace user reader@'%' identified by 'reader'");
        jdbc.execute("grant select, insert, update on *.* to reader@'%'");
        String url = source.getJdbcUrl().replace("user=root", "user=reader&password=reader");
        try (HikariDataSource replica = TestDatabase.pool(url, "TRANSACTION_REPEATABLE_READ")) {
            manager = new JdbcTransactionManager(replica);
            TransactionFences.of(guard, replica).addTo(manager);

            jdbc.execute("set global read_only = 1"); // not for the superuser of the other tests
            inScope(
                    readOnly(),
                    OLD,
                    List.of(RESOURCE),
                    status -> assertThat(new JdbcTemplate(replica).queryForList("select name from texts"))
                            .isEmpty());
        } finally {
            jdbc.execute("set global read_only = 0");
        }
    }

    @Test
    void letsAUserReadWhoMayNotWrite() {
        jdbc.execute("create role reader login password 'reader'");
        jdbc.execute("grant select on texts to reader");
        readAs(source.getJdbcUrl().replaceFirst("user=[^&]*", "user=reader&password=reader"));

        open(TestDatabase.MARIADB, "TRANSACTION_REPEATABLE_READ", FenceRule.AT_LEAST);
        jdbc.execute("create or replace user spectator@'%' identified by 'spectator'");
        jdbc.execute("grant select on *.* to spectator@'%'");
        readAs(source.getJdbcUrl().replace("user=root", "user=spectator&password=spectator"));
    }

    private void readAs(String url) {
        try (HikariDataSource reader = TestDatabase.pool(url, "TRANSACTION_REPEATABLE_READ")) {
            manager = new JdbcTransactionManager(reader);
            TransactionFences.of(guard, reader).addTo(manager);
            JdbcTemplate own = new JdbcTemplate(reader);

            inScope(
                    readOnly(),
                    OLD,
                    List.of(RESOURCE),
                    status -> assertThat(own.queryForList("select name from texts"))
                            .isEmpty());
            assertThatThrownBy(() -> inScope(OLD, status -> {})).isInstanceOf(DataAccessException.class);
        }
    }

    @Test
    void failsATransactionOnAnotherDatabase() {
        try (HikariDataSource other =
                TestDatabase.pool(TestDatabase.H2.newGuardedUrl(), "TRANSACTION_READ_COMMITTED")) {
            JdbcTransactionManager another = new JdbcTransactionManager(other);
            fences.addTo(another);
            TransactionTemplate onOther = new TransactionTemplate(another);
            JdbcTemplate otherJdbc = new JdbcTemplate(other);

            inScope(
                    NEW,
                    status -> assertThatThrownBy(() -> onOther.executeWithoutResult(
                                    inner -> otherJdbc.update("insert into texts (name) values ('a')")))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("cannot be guarded by the stamp of [invoice:42]"));
            assertThat(otherJdbc.queryForObject("select count(*) from texts", Integer.class))
                    .isZero();
        }
    }

    @Test
    void guardsTwoDatabases() {
        try (HikariDataSource other =
                TestDatabase.pool(TestDatabase.H2.newGuardedUrl(), "TRANSACTION_READ_COMMITTED")) {
            JdbcFenceGuard otherGuard = JdbcFenceGuard.on(other);
            JdbcTransactionManager another = new JdbcTransactionManager(other);
            fences.and(otherGuard, other).addTo(another);
            otherGuard.claim(RESOURCE, NEW);
            JdbcTemplate otherJdbc = new JdbcTemplate(other);

            assertThatThrownBy(() -> {
                        try (FenceScope scope = FenceScope.open(OLD, List.of(RESOURCE))) {
                            assertThat(scope.stamp()).isEqualTo(OLD);
                            new TransactionTemplate(another)
                                    .executeWithoutResult(
                                            inner -> otherJdbc.update("insert into texts (name) values ('a')"));
                        }
                    })
                    .isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    void failsAJtaTransaction() {
        arjPropertyManager.getObjectStoreEnvironmentBean().setObjectStoreDir(folder.toString());
        JtaTransactionManager jta = new JtaTransactionManager(
                com.arjuna.ats.jta.UserTransaction.userTransaction(),
                com.arjuna.ats.jta.TransactionManager.transactionManager());
        jta.afterPropertiesSet();
        fences.addTo(jta);

        assertThatThrownBy(() -> inScope(new TransactionTemplate(jta), NEW, List.of(RESOURCE), status -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be guarded");
        new TransactionTemplate(jta).executeWithoutResult(status -> {});
    }

    @Test
    void refusesAManagerThatTakesNoListeners() {
        assertThatThrownBy(() -> fences.addTo(new PlatformTransactionManager() {
                    @Override
                    public TransactionStatus getTransaction(TransactionDefinition definition) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public void commit(TransactionStatus status) {}

                    @Override
                    public void rollback(TransactionStatus status) {}
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be guarded");
        fences.addTo(manager);
        assertThat(manager.getTransactionExecutionListeners()).containsExactly(fences);
    }
}
