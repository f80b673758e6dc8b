package io.fenceline.examples.orders;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.servers.PostgresServer;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A PostgreSQL that starts and ends with the application. With {@code spring.datasource.url} the application uses yours instead. */
@Configuration
@ConditionalOnProperty(name = "spring.datasource.url", matchIfMissing = true, havingValue = "embedded")
class EmbeddedDatabase {

    @Bean(destroyMethod = "close")
    PostgresServer postgres() {
        return PostgresServer.start(Map.of());
    }

    @Bean
    DataSource dataSource(PostgresServer postgres) {
        HikariDataSource source = new HikariDataSource();
        source.setJdbcUrl(postgres.jdbcUrl(postgres.newDatabase()));
        return source;
    }
}
