package io.fenceline.benchmarks.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.benchmarks.store.StoreAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** The same pool for every contender that gets a {@code DataSource}: 16 connections, else HikariCP's defaults. */
public final class PostgresPool {

    private static final int CONNECTIONS = 16;

    private PostgresPool() {}

    /** Returns an open pool, with the tables of a script made. */
    public static HikariDataSource open(StoreAddress address, String schema) throws SQLException, InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.jdbcUrl());
        config.setMaximumPoolSize(CONNECTIONS);
        HikariDataSource pool = new HikariDataSource(config);
        while (pool.getHikariPoolMXBean().getTotalConnections() < CONNECTIONS) {
            TimeUnit.MILLISECONDS.sleep(1); // it opens all but the first in the background
        }
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(schema);
        }
        return pool;
    }
}
