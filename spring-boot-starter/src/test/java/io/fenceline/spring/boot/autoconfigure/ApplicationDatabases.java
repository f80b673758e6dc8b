package io.fenceline.spring.boot.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.spring.boot.FencelineDataSource;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Configurations of applications with one data source, several, or unusual ones. */
final class ApplicationDatabases {

    private ApplicationDatabases() {}

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

    static class RoutingDatabaseBesideThatOfTheLocks {
        @Bean
        @Primary
        DataSource database() {
            return new RoutingDatabase().database();
        }

        @Bean(defaultCandidate = false)
        @FencelineDataSource
        DataSource ofLocks() {
            return newDatabase("locks");
        }
    }

    static class TwoMarkedDatabases {
        @Bean
        @Primary
        @FencelineDataSource
        DataSource database() {
            return new RoutingDatabase().database();
        }

        @Bean(defaultCandidate = false)
        @FencelineDataSource
        DataSource ofLocks() {
            return newDatabase("locks");
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

    static HikariDataSource newDatabase(String name) {
        HikariDataSource source = new HikariDataSource();
        source.setJdbcUrl("jdbc:h2:mem:" + name + "-" + System.nanoTime());
        return source;
    }
}
