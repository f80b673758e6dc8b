package io.fenceline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spi.LockBackend;
import io.fenceline.spring.LockTemplate;
import io.fenceline.spring.TransactionFences;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Choice and use of the data source that keeps locks and fences, for applications with one, several, or unusual ones. */
class DataSourceConditionsTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FencelineBackendAutoConfiguration.class,
                    FencelineGuardAutoConfiguration.class,
                    FencelineTelemetryAutoConfiguration.class,
                    FencelineAutoConfiguration.class))
            .withPropertyValues("fenceline.shutdown.grace=1ms");

    @Test
    void theOnlyDataSourceKeepsLocksAndFences() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(JdbcFenceGuard.class).hasSingleBean(TransactionFences.class);
                    assertThat(rows(context.getBean("database", DataSource.class), "fenceline_lock"))
                            .isZero();
                    assertThat(context.getBean(Locks.class).tryAcquire("key")).isPresent();
                    assertThat(rows(context.getBean("database", DataSource.class), "fenceline_lock"))
                            .isOne();
                });
    }

    @Test
    void aTableThatCannotBeNamesItsProperty() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
                .withPropertyValues("fenceline.guard.table=no table")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("fenceline.guard.table: "));
    }

    @Test
    void locksHaveAPoolOfTheirOwnThatClosesWithThem() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
                .withPropertyValues("fenceline.jdbc.pool.connection-timeout=777ms")
                .run(context -> {
                    HikariDataSource own = poolOf(context.getBean(LockBackend.class));
                    assertThat(own).isNotSameAs(context.getBean(DataSource.class));
                    assertThat(own.getMaximumPoolSize()).isEqualTo(2);
                    assertThat(own.getConnectionTimeout()).isEqualTo(777);
                    assertThat(own.getJdbcUrl())
                            .isEqualTo(context.getBean(HikariDataSource.class).getJdbcUrl());
                    context.close();
                    assertThat(own.isClosed()).isTrue();
                });
    }

    @Test
    void locksUseTheApplicationsPoolIfToldTo() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
                .withPropertyValues("fenceline.jdbc.pool.size=0")
                .run(context -> {
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    assertThat(poolOf(context.getBean(LockBackend.class))).isSameAs(pool);
                    context.getBean(LockBackend.class).close();
                    assertThat(pool.isClosed()).isFalse();
                });
    }

    @Test
    void oneOfSeveralDataSourcesMustBeMarked() {
        application
                .withUserConfiguration(ApplicationDatabases.TwoDatabases.class)
                .run(context -> assertThat(context).getFailure().rootCause().isInstanceOf(NoLockStoreException.class));

        application
                .withUserConfiguration(
                        ApplicationDatabases.TwoDatabases.class, ApplicationDatabases.MarkedDatabase.class)
                .run(context -> {
                    assertThat(context.getBean(Locks.class).tryAcquire("key")).isPresent();
                    assertThat(rows(context.getBean("marked", DataSource.class), "fenceline_lock"))
                            .isOne();
                });
    }

    @Test
    void transactionsAreGuardedOnTheApplicationsDatabaseAlsoIfLocksHaveAnother() {
        application
                .withUserConfiguration(
                        ApplicationDatabases.OneDatabase.class, ApplicationDatabases.MarkedDatabase.class)
                .run(context -> {
                    assertThat(context.getBean(Locks.class).tryAcquire("key")).isPresent();
                    assertThat(rows(context.getBean("marked", DataSource.class), "fenceline_lock"))
                            .isOne();
                    assertThat(rows(context.getBean("database", DataSource.class), "fenceline_fences"))
                            .isZero();
                });
    }

    @Test
    void fencesAreNotKeptInADataSourceThatRoutes() {
        application
                .withUserConfiguration(ApplicationDatabases.RoutingDatabase.class)
                .withPropertyValues("fenceline.uri=memory:")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("fences of its own"));
    }

    /** The mark of another one tells nothing of it. */
    @Test
    void fencesAreNotKeptInADataSourceThatRoutesBesideTheMarkedOne() {
        application
                .withUserConfiguration(ApplicationDatabases.RoutingDatabaseBesideThatOfTheLocks.class)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("fences of its own"));
    }

    /** One of them would be taken, and the locks would move to its database, when the other one is marked as well. */
    @Test
    void twoMarkedDataSourcesAreRefused() {
        application
                .withUserConfiguration(ApplicationDatabases.TwoMarkedDatabases.class)
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("2 DataSources are marked"));
    }

    @Test
    void aPoolThatRenewsItsPasswordIsNotCopied() {
        application
                .withUserConfiguration(ApplicationDatabases.RenewingDatabase.class)
                .run(context -> assertThat(poolOf(context.getBean(LockBackend.class)))
                        .isSameAs(context.getBean(HikariDataSource.class)));
    }

    @Test
    void aDataSourceThatRoutesIsRefusedUnlessItIsMarked() {
        application
                .withUserConfiguration(ApplicationDatabases.RoutingDatabase.class)
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("@FencelineDataSource"));
    }

    @Test
    void saysThatTransactionsOfSeveralDataSourcesAreNotGuarded() {
        ApplicationContextRunner two = application
                .withUserConfiguration(ApplicationDatabases.TwoDatabases.class)
                .withPropertyValues("fenceline.uri=memory:");

        assertThat(warningsOf(two)).anyMatch(line -> line.startsWith("transactions are not guarded"));
        assertThat(warningsOf(two.withPropertyValues("fenceline.guard.enabled=false")))
                .noneMatch(line -> line.startsWith("transactions are not guarded"));
    }

    private static List<String> warningsOf(ApplicationContextRunner application) {
        List<String> warnings = new ArrayList<>();
        Handler log = new Handler() {
            @Override
            public void publish(LogRecord line) {
                warnings.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("io.fenceline.spring");
        logger.addHandler(log);
        try {
            application.run(context -> assertThat(context).hasNotFailed());
        } finally {
            logger.removeHandler(log);
        }
        return warnings;
    }

    @Test
    void aDataSourceThatRoutesIsRefusedBehindAnother() {
        application
                .withUserConfiguration(ApplicationDatabases.LazyRoutingDatabase.class)
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("@FencelineDataSource"));
    }

    @Test
    void aLockDoesNotJoinTheCallersTransaction() {
        application
                .withUserConfiguration(ApplicationDatabases.JoiningDatabase.class)
                .withPropertyValues("fenceline.jdbc.pool.size=0") // a pool of its own would not join anyway
                .run(context -> {
                    DataSource joining = context.getBean(DataSource.class);
                    Locks locks = context.getBean(Locks.class);
                    new TransactionTemplate(new JdbcTransactionManager(joining)).executeWithoutResult(status -> {
                        assertThat(locks.tryAcquire("key")).isPresent();
                        status.setRollbackOnly();
                    });
                    assertThat(locks.lookup("key")).isPresent();
                    assertThat(poolOf(context.getBean(LockBackend.class))).isNotSameAs(joining); // unwrapped
                });
    }

    @Test
    void aPoolMayTurnAutoCommitOff() {
        application
                .withUserConfiguration(ApplicationDatabases.AutoCommitOffDatabase.class)
                .run(context -> {
                    TransactionTemplate transactions =
                            new TransactionTemplate(new JdbcTransactionManager(context.getBean(DataSource.class)));
                    context.getBean(LockTemplate.class)
                            .run("key", lease -> transactions.executeWithoutResult(status -> {}));

                    assertThat(context.getBean(JdbcFenceGuard.class).highest("key"))
                            .isPresent();
                });
    }

    /** The guard would commit what the caller has begun. */
    @Test
    void aTransactionOfTheCallersIsNotTakenForAPoolThatTurnsAutoCommitOff() {
        application
                .withUserConfiguration(ApplicationDatabases.LazyJoiningDatabase.class)
                .withPropertyValues("fenceline.uri=memory:")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("somebody else's transaction"));
    }

    private static HikariDataSource poolOf(LockBackend backend) {
        return (HikariDataSource) ((PooledLockBackend) backend).pool().source();
    }

    private static long rows(DataSource source, String table) throws Exception {
        try (var connection = source.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery("SELECT count(*) FROM " + table)) {
            result.next();
            return result.getLong(1);
        }
    }
}
