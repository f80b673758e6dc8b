package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.hibernate.FenceIntegrator;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.TransactionFences;
import io.fenceline.spring.boot.FencelineDataSource;
import io.fenceline.spring.boot.FencelineProperties;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.util.function.SingletonSupplier;

/** Guards the transactions on the application's database: that of its single data source, or else of the marked one. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration"
        },
        beforeName = {
            "org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionManagerCustomizationAutoConfiguration"
        })
@ConditionalOnClass({JdbcFenceGuard.class, ConnectionHolder.class})
@ConditionalOnBooleanProperty(name = "fenceline.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "fenceline.guard.enabled", matchIfMissing = true)
@Conditional(FencelineGuardAutoConfiguration.OnOneDataSource.class)
@EnableConfigurationProperties(FencelineProperties.class)
class FencelineGuardAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JdbcFenceGuard fencelineGuard(
            FencelineProperties properties,
            ObjectProvider<DataSource> all,
            @FencelineDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<LockListener> listeners) {
        DataSource source = dataSource(all, marked);
        ApplicationDataSource.refuseRouting(
                source,
                marked,
                "fences of its own: mark the DataSource with @FencelineDataSource if its database is the same throughout a"
                        + " locked call, or set fenceline.guard.enabled=false");
        GuardOptions options = withTable(properties.guard().table())
                .withRule(properties.guard().rule())
                .withListeners(lazily(listeners));
        JdbcFenceGuard guard = JdbcFenceGuard.on(
                source, ApplicationDataSource.turnsAutoCommitOff(source) ? options.withAutoCommitOff() : options);
        TableSetup.prepare("fences", guard.schema(), properties.jdbc().initializeSchema(), source);
        return guard;
    }

    private static GuardOptions withTable(String table) {
        try {
            return GuardOptions.defaults().withTable(table);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("fenceline.guard.table: " + e.getMessage(), e);
        }
    }

    /** A listener may need a transaction manager, which needs the guard first. */
    private static LockListener lazily(ObjectProvider<LockListener> listeners) {
        SingletonSupplier<LockListeners> all = SingletonSupplier.of(
                () -> new LockListeners(listeners.orderedStream().toList()));
        return event -> all.obtain().emit(event);
    }

    @Bean
    @ConditionalOnMissingBean
    TransactionFences fencelineTransactionFences(
            JdbcFenceGuard guard,
            ObjectProvider<DataSource> all,
            @FencelineDataSource ObjectProvider<DataSource> marked) {
        return TransactionFences.of(guard, dataSource(all, marked));
    }

    /** Entities share the table and the listeners of the guard, which makes or checks that table when it is created: later than their factory. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({FenceIntegrator.class, HibernatePropertiesCustomizer.class})
    @ConditionalOnMissingBean(JdbcFenceGuard.class)
    static class Entities {

        @Bean
        HibernatePropertiesCustomizer fencelineEntities(
                FencelineProperties properties, ObjectProvider<LockListener> listeners) {
            String table = properties.guard().table();
            return settings -> {
                settings.putIfAbsent(FenceIntegrator.LISTENERS, lazily(listeners));
                if (table.equals(settings.computeIfAbsent(FenceIntegrator.TABLE, missing -> table))) {
                    settings.putIfAbsent(FenceIntegrator.SCHEMA, "none");
                }
            };
        }
    }

    private static DataSource dataSource(ObjectProvider<DataSource> all, ObjectProvider<DataSource> marked) {
        ApplicationDataSource.refuseSeveral(marked);
        return ApplicationDataSource.firstOf(all.getIfUnique(), marked).orElseThrow();
    }

    /** Matches if it is clear which database the transactions are on. */
    static final class OnOneDataSource extends AnyNestedCondition {

        OnOneDataSource() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnSingleCandidate(DataSource.class)
        static final class Single {}

        @ConditionalOnBean(annotation = FencelineDataSource.class)
        static final class Marked {}
    }
}
