package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LocksBuilder;
import io.fenceline.spi.LockBackend;
import io.fenceline.spring.LeaderOnlyAdvisor;
import io.fenceline.spring.LockEventPublisher;
import io.fenceline.spring.LockTemplate;
import io.fenceline.spring.LockedAdvisor;
import io.fenceline.spring.LocksLifecycle;
import io.fenceline.spring.TransactionFences;
import io.fenceline.spring.boot.FencelineProperties;
import io.fenceline.telemetry.LockListener;
import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Locks, the annotations that use them, elections, and their place in the application's life. */
@AutoConfiguration(
        after = {
            FencelineBackendAutoConfiguration.class,
            FencelineGuardAutoConfiguration.class,
            FencelineTelemetryAutoConfiguration.class
        },
        afterName = "org.springframework.boot.autoconfigure.aop.AopAutoConfiguration")
@ConditionalOnBooleanProperty(name = "fenceline.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FencelineProperties.class)
@Import(ElectionRegistrar.class)
class FencelineAutoConfiguration {

    private static final System.Logger LOG = System.getLogger("io.fenceline.spring");

    /** The default of Spring Boot. */
    private static final Duration PHASE_TIMEOUT = Duration.ofSeconds(30);

    @Bean
    @ConditionalOnMissingBean
    Locks fencelineLocks(
            LockBackend backend,
            FencelineProperties properties,
            Environment environment,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<TimeSource> time) {
        LocksBuilder builder = Locks.builder(backend).defaults(options(properties, environment));
        listeners.orderedStream().forEach(builder::listener);
        time.ifUnique(builder::time);
        return builder.build();
    }

    /** Returns the options of locks and elections. */
    static LockOptions options(FencelineProperties properties, Environment environment) {
        String process = Holder.ofThisProcess().text();
        String name = environment.getProperty("spring.application.name", "");
        String start = name.codePoints().limit(50).mapToObj(Character::toString).collect(Collectors.joining());
        return properties.options(Holder.of(start.isEmpty() ? process : start + "@" + process));
    }

    @Bean
    @ConditionalOnMissingBean
    LockTemplate fencelineLockTemplate(
            Locks locks,
            FencelineProperties properties,
            ObjectProvider<TransactionFences> fences,
            ListableBeanFactory beans) {
        LockTemplate template =
                LockTemplate.of(locks).withInTransaction(properties.locked().inTransaction());
        TransactionFences found = fences.getIfUnique();
        if (found != null) {
            return template.withFences(found);
        }
        if (properties.guard().enabled() && beans.getBeanNamesForType(DataSource.class, true, false).length > 0) {
            LOG.log(
                    Level.WARNING,
                    "transactions are not guarded, so that of a stale holder can commit: it is not clear which DataSource"
                            + " is meant. Mark one with @FencelineDataSource, or confirm with"
                            + " fenceline.guard.enabled=false");
        }
        return template;
    }

    @Bean
    @ConditionalOnMissingBean
    LocksLifecycle fencelineLocksLifecycle(
            ObjectProvider<Locks> locks, FencelineProperties properties, Environment environment) {
        Duration work = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(PHASE_TIMEOUT);
        return new LocksLifecycle(locks, work, properties.shutdown().grace());
    }

    @Bean
    @ConditionalOnMissingBean
    LockEventPublisher fencelineLockEventPublisher(ApplicationEventPublisher publisher) {
        return new LockEventPublisher(publisher);
    }

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedAdvisor fencelineLockedAdvisor(Environment environment, ConfigurableListableBeanFactory beans) {
        return new LockedAdvisor(order(environment), beans);
    }

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderOnlyAdvisor fencelineLeaderOnlyAdvisor(
            Environment environment, ConfigurableListableBeanFactory beans) {
        return new LeaderOnlyAdvisor(order(environment), beans);
    }

    /** From the environment: the properties would be created before the bean post-processors. */
    private static int order(Environment environment) {
        return environment.getProperty("fenceline.locked.order", Integer.class, LockedAdvisor.ORDER);
    }
}
