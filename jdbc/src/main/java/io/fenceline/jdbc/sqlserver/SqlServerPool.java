package io.fenceline.jdbc.sqlserver;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.fenceline.jdbc.dialect.OpenedDatabase;
import io.fenceline.jdbc.dialect.SqlErrors;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** The pool of a store that is opened by its URI: small, and quick to say that there is no connection. */
final class SqlServerPool {

    private static final String DRIVER = "com.microsoft.sqlserver.jdbc.SQLServerDriver";
    private static final int CONNECTIONS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Comes on top of an attempt's own limit if the server is silent; HikariCP goes no lower. */
    private static final Duration EXAMINATION = Duration.ofSeconds(1);

    private SqlServerPool() {}

    static OpenedDatabase open(SqlServerUri uri, SqlErrors errors) {
        Driver driver = DriverManager.drivers()
                .filter(found -> found.getClass().getName().equals(DRIVER))
                .findFirst()
                .orElseThrow(() -> new NoClassDefFoundError(DRIVER));
        try {
            uri.knownTo(driver);
        } catch (SQLException e) {
            throw errors.unreachable(e);
        }
        HikariConfig config = new HikariConfig();
        config.setPoolName("fenceline");
        config.setJdbcUrl(uri.jdbcUrl());
        config.setDataSourceProperties(uri.properties());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(PATIENCE.toMillis());
        config.setValidationTimeout(EXAMINATION.toMillis());
        // Connects now, and says at once why it cannot.
        config.setInitializationFailTimeout(1);
        try {
            HikariDataSource pool = new HikariDataSource(config);
            return new OpenedDatabase(pool, Optional.empty(), uri.table(), pool::close);
        } catch (PoolInitializationException e) {
            throw e.getCause() instanceof SQLException cause ? errors.unreachable(cause) : e;
        }
    }
}
