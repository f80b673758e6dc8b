package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.Backends;
import io.fenceline.Locks;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.redis.RedisLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spring.boot.FencelineDataSource;
import io.fenceline.spring.boot.FencelineProperties;
import java.lang.System.Logger.Level;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Opens the store of the locks: that of a URI, or else the application's database or Redis. Never one in memory by itself. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "fenceline.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FencelineProperties.class)
class FencelineBackendAutoConfiguration {

    private static final System.Logger LOG = System.getLogger("io.fenceline.spring");

    @Bean
    @ConditionalOnMissingBean({LockBackend.class, Locks.class})
    @DependsOnDatabaseInitialization
    LockBackend fencelineBackend(FencelineProperties properties, ObjectProvider<BackendSource> sources) {
        String uri = properties.uri();
        return uri == null || uri.isBlank() ? chosen(properties, sources).open() : Backends.open(uri);
    }

    private static BackendSource chosen(FencelineProperties properties, ObjectProvider<BackendSource> sources) {
        FencelineProperties.Store wanted = properties.store();
        List<BackendSource> available = sources.stream()
                .filter(BackendSource::isAvailable)
                .filter(source -> wanted == null || source.store() == wanted)
                .sorted((a, b) -> a.store().compareTo(b.store()))
                .toList();
        if (available.isEmpty()) {
            throw new NoLockStoreException(wanted);
        }
        if (available.size() > 1) {
            LOG.log(
                    Level.INFO,
                    "the locks are kept in the application's database, not in its Redis; fenceline.store=redis changes"
                            + " that, fenceline.store=jdbc confirms it");
        }
        return available.get(0);
    }

    /** The application's database. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JdbcLockBackend.class, AbstractRoutingDataSource.class})
    static class Jdbc {

        @Bean
        JdbcBackendSource fencelineJdbcSource(
                FencelineProperties properties,
                ObjectProvider<DataSource> all,
                @FencelineDataSource ObjectProvider<DataSource> marked) {
            return new JdbcBackendSource(properties.jdbc(), all, marked);
        }
    }

    /** The application's Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RedisLockBackend.class, LettuceConnectionFactory.class})
    static class Redis {

        @Bean
        RedisBackendSource fencelineRedisSource(
                FencelineProperties properties, ObjectProvider<LettuceConnectionFactory> factories) {
            return new RedisBackendSource(properties.redis(), factories);
        }
    }
}
