package io.fenceline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spring.ElectionLifecycle;
import io.fenceline.spring.LockTemplate;
import io.fenceline.spring.Locked;
import io.fenceline.spring.LockedMethods;
import io.fenceline.spring.TransactionFences;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LogFields;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.data.domain.Page;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Which beans there are, and what they work on, for which application and properties. */
class ConditionsTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FencelineBackendAutoConfiguration.class,
                    FencelineGuardAutoConfiguration.class,
                    FencelineTelemetryAutoConfiguration.class,
                    FencelineAutoConfiguration.class))
            .withPropertyValues(
                    "fenceline.shutdown.grace=1ms", // these tests release nothing
                    "fenceline.jdbc.pool.connection-timeout=30s"); // the machine may be busy

    @Test
    void aStoreInMemoryMustBeAskedFor() {
        application.run(
                context -> assertThat(context).getFailure().rootCause().isInstanceOf(NoLockStoreException.class));

        application.withPropertyValues("fenceline.uri=memory:").run(context -> {
            assertThat(context).hasSingleBean(LockTemplate.class).doesNotHaveBean(JdbcFenceGuard.class);
            context.getBean(Locks.class).acquire("key").close();
        });
    }

    @Test
    void eachTermClaimsTheResourceOfLeaderOnlyMethods() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
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
    void nothingIsConfiguredIfDisabled() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
                .withPropertyValues("fenceline.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(Locks.class)
                        .doesNotHaveBean(TransactionFences.class));
    }

    @Test
    void transactionsAreNotGuardedIfDisabled() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
                .withPropertyValues("fenceline.guard.enabled=false")
                .run(context -> assertThat(context)
                        .hasSingleBean(Locks.class)
                        .doesNotHaveBean(JdbcFenceGuard.class)
                        .doesNotHaveBean(TransactionFences.class));
    }

    @Test
    void missingTablesEndTheStartWhereNobodyMakesThem() {
        application
                .withUserConfiguration(ApplicationDatabases.OneDatabase.class)
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
                .run(context -> {
                    try (Lease lease = context.getBean(Locks.class).acquire("key")) {
                        assertThat(lease.grant().holder().text())
                                .startsWith("shop@")
                                .endsWith(":" + ProcessHandle.current().pid());
                    }
                });
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
        application
                .withPropertyValues("fenceline.uri=memory:", "fenceline.ttl=30")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("so write 30s for 30 seconds"));
    }

    static class Streaming {
        @Locked("k")
        SseEmitter events() {
            return new SseEmitter();
        }
    }

    static class Paging {
        @Locked("k")
        Page<String> page() {
            return Page.empty();
        }
    }

    @Test
    void aPageOfResultsIsDoneWhenTheMethodReturns() {
        LockedMethods.check(Paging.class);
    }

    @Test
    void aResultThatIsSentAfterTheMethodIsRefused() {
        assertThatThrownBy(() -> LockedMethods.check(Streaming.class))
                .hasMessageContaining("Streaming.events() cannot work")
                .hasMessageContaining("before its work is done");
    }

    @Test
    void whatCannotBeUsedIsRefusedByItsName() {
        application
                .withPropertyValues("fenceline.uri=memory:", "fenceline.elections.billing.candidate= ")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("'fenceline.elections.billing'")
                        .rootCause()
                        .hasMessageContaining("holder"));
        application
                .withPropertyValues("fenceline.uri=memory:", "fenceline.elections.billing.claims=invoices")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("fenceline.elections[billing].claims needs a JdbcFenceGuard"));
        application
                .withPropertyValues("fenceline.uri=memory:", "fenceline.locked.order=" + Integer.MAX_VALUE)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("fenceline.locked.order is " + Integer.MAX_VALUE));
        application
                .withPropertyValues("fenceline.uri=memory:", "fenceline.shutdown.grace=-1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("fenceline.shutdown.grace is PT-1S, it must be 0 or more"));
    }

    @Test
    void librariesThatAreNotThereAreNotNeeded() {
        application
                .withClassLoader(new FilteredClassLoader(
                        "io.micrometer", "io.lettuce", "org.springframework.data", "com.zaxxer", "io.fenceline.http"))
                .withPropertyValues("fenceline.uri=memory:")
                .run(context -> assertThat(context).hasSingleBean(Locks.class).hasSingleBean(LogFields.class));
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
