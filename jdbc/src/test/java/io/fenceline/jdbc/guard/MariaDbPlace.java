package io.fenceline.jdbc.guard;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.mariadb.TestServer;
import io.fenceline.servers.MariaDbServer;
import javax.sql.DataSource;

/** A database on the server that all tests share. */
final class MariaDbPlace implements GuardPlace {

    private final MariaDbServer server = TestServer.shared();
    private final String database = server.newDatabase();
    private final String settings;
    private final String isolation;
    private HikariDataSource pool;

    /** At the server's own level, REPEATABLE READ. */
    MariaDbPlace() {
        this("TRANSACTION_REPEATABLE_READ");
    }

    MariaDbPlace(String isolation) {
        this(isolation, "");
    }

    /** @param settings of the driver, after an ampersand each */
    MariaDbPlace(String isolation, String settings) {
        this.isolation = isolation;
        this.settings = settings;
        this.pool = newPool();
    }

    private HikariDataSource newPool() {
        HikariDataSource fresh = new HikariDataSource();
        fresh.setJdbcUrl(server.jdbcUrl(database) + settings);
        fresh.setTransactionIsolation(isolation);
        fresh.setMinimumIdle(0);
        fresh.setMaximumPoolSize(12);
        return fresh;
    }

    @Override
    public DataSource source() {
        return pool;
    }

    @Override
    public String in(String name) {
        return database + "." + name;
    }

    @Override
    public String textType(int length) {
        return bytewise(length);
    }

    static String bytewise(int length) {
        return "VARCHAR(" + length + ") CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";
    }

    @Override
    public void restart() {
        pool.close();
        server.stop();
        server.startAgain();
        pool = newPool();
    }

    @Override
    public void close() {
        pool.close();
        server.execute("", "DROP DATABASE " + database);
    }
}
