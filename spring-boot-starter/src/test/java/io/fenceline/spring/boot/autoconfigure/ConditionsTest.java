package io.fenceline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spring.ElectionLifecycle;
import io.fenceline.spring.LockTemplate;
import io.fenceline.spring.TransactionFences;
import io.fenceline.spring.boot.FencelineDataSource;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LogFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Which beans there are, and what they work on, for which application and properties. */
class ConditionsTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FencelineBackendAutoConfiguration.class,
                    FencelineGuardAutoConfiguration.class,
                    FencelineTelemetryAutoConfiguration.class,
                    FencelineAutoConfiguration.class))
            .withPropertyValues("fenceline.shutdown.grace=1ms"); // these tests release nothing

    @Test
    void aStoreInMemoryMustBeAskedFor() {
        application.run(
                context -> assertThat(context).getFailure().rootCause().isInstanceOf(NoLockStoreException.class));

        application.withPropertyValues("fenceline.uri=memory:").run(context -> {
            assertThat(context).hasSingleBean(LockTemplate.class).doesNotHaveBean(JdbcFenceGuard.class);
            assertThat(context.getBean(Locks.class).tryAcquire("key")).isPresent();
        });
    }

    @Test
    void theOnlyDataSourceKeepsLocksAndFences() {
        application.withUserConfiguration(OneDatabase.class).run(context -> {
            assertThat(context).hasSingleBean(JdbcFenceGuard.class).hasSingleBean(TransactionFences.class);
            assertThat(rows(context.getBean("database", DataSource.class), "fenceline_lock"))
                    .isZero();
            assertThat(context.getBean(Locks.class).tryAcquire("key")).isPresent();
            assertThat(rows(context.getBean("database", DataSource.class), "fenceline_lock"))
                    .isOne();
        });
    }

    @Test
    void locksHaveAPoolOfTheirOwnThatClosesWithThem() {
        application
                .withUserConfiguration(OneDatabase.class)
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
                .withUserConfiguration(OneDatabase.class)
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
                .withUserConfiguration(TwoDatabases.class)
                .run(context -> assertThat(context).getFailure().rootCause().isInstanceOf(NoLockStoreException.class));

        application
                .withUserConfiguration(TwoDatabases.class, MarkedDatabase.class)
                .run(context -> {
                    assertThat(context.getBean(Locks.class).tryAcquire("key")).isPresent();
                    assertThat(rows(context.getBean("marked", DataSource.class), "fenceline_lock"))
                            .isOne();
                });
    }

    @Test
    void transactionsAreGuardedOnTheApplicationsDatabaseAlsoIfLocksHaveAnother() {
        application
                .withUserConfiguration(OneDatabase.class, MarkedDatabase.class)
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
                .withUserConfiguration(RoutingDatabase.class)
                .withPropertyValues("fenceline.uri=memory:")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("fences of its own"));
    }

    @Test
    void aPoolThatRenewsItsPasswordIsNotCopied() {
        application
                .withUserConfiguration(RenewingDatabase.class)
                .run(context -> assertThat(poolOf(context.getBean(LockBackend.class)))
                        .isSameAs(context.getBean(HikariDataSource.class)));
    }

    @Test
    void eachTermClaimsTheResourceOfLeaderOnlyMethods() {
        application
                .withUserConfiguration(OneDatabase.class)
                .withPropertyValues("fenceline.elections.billing.ttl=5s")
                .run(context -> {
                    ElectionLifecycle election = context.getBean(ElectionLifecycle.class);
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> election.leadership().isPresent());
                    assertThat(context.getBean(JdbcFenceGuard.class).highest("election:billing"))
                            .isEqualTo(election.leadership().orElseThrow().current());
                });
    }

    @Test
    void aDataSourceThatRoutesIsRefusedUnlessItIsMarked() {
        application
                .withUserConfiguration(RoutingDatabase.class)
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("@FencelineDataSource"));
    }

    @Test
    void saysThatTransactionsOfSeveralDataSourcesAreNotGuarded() {
        ApplicationContextRunner two =
                application.withUserConfiguration(TwoDatabases.class).withPropertyValues("fenceline.uri=memory:");

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
                .withUserConfiguration(LazyRoutingDatabase.class)
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("@FencelineDataSource"));
    }

    @Test
    void aLockDoesNotJoinTheCallersTransaction() {
        application
                .withUserConfiguration(JoiningDatabase.class)
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
        application.withUserConfiguration(AutoCommitOffDatabase.class).run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(new JdbcTransactionManager(context.getBean(DataSource.class)));
            context.getBean(LockTemplate.class).run("key", lease -> transactions.executeWithoutResult(status -> {}));

            assertThat(context.getBean(JdbcFenceGuard.class).highest("key")).isPresent();
        });
    }

    /** The guard would commit what the caller has begun. */
    @Test
    void aTransactionOfTheCallersIsNotTakenForAPoolThatTurnsAutoCommitOff() {
        application
                .withUserConfiguration(LazyJoiningDatabase.class)
                .withPropertyValues("fenceline.uri=memory:")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("somebody else's transaction"));
    }

    @Test
    void nothingIsConfiguredIfDisabled() {
        application
                .withUserConfiguration(OneDatabase.class)
                .withPropertyValues("fenceline.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(Locks.class)
                        .doesNotHaveBean(TransactionFences.class));
    }

    @Test
    void transactionsAreNotGuardedIfDisabled() {
        application
                .withUserConfiguration(OneDatabase.class)
                .withPropertyValues("fenceline.guard.enabled=false")
                .run(context -> assertThat(context)
                        .hasSingleBean(Locks.class)
                        .doesNotHaveBean(JdbcFenceGuard.class)
                        .doesNotHaveBean(TransactionFences.class));
    }

    @Test
    void missingTablesEndTheStartWhereNobodyMakesThem() {
        application
                .withUserConfiguration(OneDatabase.class)
                .withPropertyValues("fenceline.jdbc.initialize-schema=never", "fenceline.guard.enabled=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(MissingTablesException.class)
                        .hasMessageContaining("fenceline_lock"));
    }

    @Test
    void theApplicationsOwnBeansWin() {
        application
                .withUserConfiguration(OwnBackend.class)
                .run(context -> assertThat(context.getBean(LockBackend.class)).isInstanceOf(MemoryLockBackend.class));
        application
                .withUserConfiguration(OwnLocks.class)
                .run(context -> assertThat(context).hasSingleBean(Locks.class).doesNotHaveBean(LockBackend.class));
    }

    @Test
    void aGroupOfThePropertiesIsACandidateUnlessDisabled() {
        application
                .withPropertyValues(
                        "fenceline.uri=memory:",
                        "fenceline.elections.billing.ttl=10s",
                        "fenceline.elections.reports.enabled=false")
                .run(context -> assertThat(
                                context.getBean(ElectionLifecycle.class).group())
                        .isEqualTo("billing"));
    }

    @Test
    void theHolderIsNamedAfterTheApplication() {
        application
                .withPropertyValues("fenceline.uri=memory:", "spring.application.name=shop")
                .run(context -> assertThat(context.getBean(Locks.class)
                                .acquire("key")
                                .grant()
                                .holder()
                                .text())
                        .startsWith("shop@")
                        .endsWith(":" + ProcessHandle.current().pid()));
    }

    @Test
    void locksTellTheApplicationsListeners() {
        List<LockEvent> heard = new CopyOnWriteArrayList<>();
        application
                .withPropertyValues("fenceline.uri=memory:")
                .withBean(LockListener.class, () -> heard::add)
                .run(context -> context.getBean(Locks.class).acquire("key").close());

        assertThat(heard).hasAtLeastOneElementOfType(LockEvent.Acquired.class);
    }

    @Test
    void anImpossibleTimeIsRefusedByItsName() {
        application
                .withPropertyValues("fenceline.uri=memory:", "fenceline.ttl=0s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("ttl is PT0S, it must be above zero"));
        application
                .withPropertyValues("fenceline.uri=memory:", "fenceline.elections.billing.ttl=0s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("'fenceline.elections.billing'")
                        .rootCause()
                        .hasMessageContaining("ttl is PT0S, it must be above zero"));
    }

    @Test
    void librariesThatAreNotThereAreNotNeeded() {
        application
                .withClassLoader(new FilteredClassLoader(
                        "io.micrometer", "io.lettuce", "org.springframework.data", "com.zaxxer", "io.fenceline.http"))
                .withPropertyValues("fenceline.uri=memory:")
                .run(context -> assertThat(context).hasSingleBean(Locks.class).hasSingleBean(LogFields.class));
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

    static HikariDataSource newDatabase(String name) {
        HikariDataSource source = new HikariDataSource();
        source.setJdbcUrl("jdbc:h2:mem:" + name + "-" + System.nanoTime());
        return source;
    }

    static class OneDatabase {
        @Bean
        HikariDataSource database() {
            return newDatabase("one");
        }
    }

    static class AutoCommitOffDatabase {
        @Bean
        HikariDataSource database() {
            HikariDataSource source = newDatabase("off");
            source.setAutoCommit(false);
            return source;
        }
    }

    static class LazyJoiningDatabase {
        @Bean
        DataSource database() {
            return new LazyConnectionDataSourceProxy(
                    new TransactionAwareDataSourceProxy(new AutoCommitOffDatabase().database()));
        }
    }

    static class TwoDatabases {
        @Bean
        DataSource first() {
            return newDatabase("first");
        }

        @Bean
        DataSource second() {
            return newDatabase("second");
        }
    }

    static class MarkedDatabase {
        @Bean(defaultCandidate = false)
        @FencelineDataSource
        DataSource marked() {
            return newDatabase("marked");
        }
    }

    static class JoiningDatabase {
        @Bean
        DataSource database() {
            return new TransactionAwareDataSourceProxy(newDatabase("joining"));
        }
    }

    static class RenewingDatabase {
        @Bean
        HikariDataSource database() {
            HikariDataSource source = new HikariDataSource() {
                @Override
                public String getPassword() {
                    return "";
                }
            };
            source.setJdbcUrl("jdbc:h2:mem:renewing");
            source.setUsername("sa");
            return source;
        }
    }

    static class RoutingDatabase {
        @Bean
        DataSource database() {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return "tenant";
                }
            };
            routing.setTargetDataSources(Map.of("tenant", newDatabase("tenant")));
            return routing;
        }
    }

    static class LazyRoutingDatabase {
        @Bean
        DataSource database() {
            AbstractRoutingDataSource routing = (AbstractRoutingDataSource) new RoutingDatabase().database();
            routing.afterPropertiesSet();
            return new LazyConnectionDataSourceProxy(routing);
        }
    }

    static class OwnBackend {
        @Bean
        LockBackend backend() {
            return new MemoryLockBackend();
        }
    }

    static class OwnLocks {
        @Bean
        Locks locks() {
            return Locks.open("memory:");
        }
    }
}
