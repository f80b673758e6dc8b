package io.fenceline.jdbc.h2;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.fenceline.jdbc.dialect.OpenedDatabase;
import io.fenceline.jdbc.dialect.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** The pool of a store that is opened by its URI. One connection stays, since H2 closes a database with the last of them. */
final class H2Pool {

    private static final int CONNECTIONS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Comes on top of an attempt's own limit if the server is silent; HikariCP goes no lower. */
    private static final Duration EXAMINATION = Duration.ofSeconds(1);

    private H2Pool() {}

    static OpenedDatabase open(H2Uri uri, SqlErrors errors) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("fenceline");
        config.setDriverClassName("org.h2.Driver");
        config.setJdbcUrl(uri.jdbcUrl());
        config.setDataSourceProperties(uri.properties());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(PATIENCE.toMillis());
        config.setValidationTimeout(EXAMINATION.toMillis());
        // Opens it now, and says at once why it cannot.
        config.setInitializationFailTimeout(1);
        try {
            HikariDataSource pool = new HikariDataSource(config);
            return new OpenedDatabase(pool, Optional.empty(), uri.table(), pool::close);
        } catch (PoolInitializationException e) {
            throw e.getCause() instanceof SQLException cause ? errors.unreachable(cause) : e;
        }
    }
}
