package io.fenceline.jdbc.guard;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.servers.PostgresServer;
import javax.sql.DataSource;

/** A schema on the server that all tests share. */
final class PostgresPlace implements GuardPlace {

    private final PostgresServer server = TestServer.shared();
    private final String schema = TestServer.newSchema(server);
    private final String isolation;
    private HikariDataSource pool;

    PostgresPlace() {
        this("read committed");
    }

    PostgresPlace(String isolation) {
        this.isolation = isolation;
        this.pool = newPool();
    }

    private HikariDataSource newPool() {
        HikariDataSource fresh = new HikariDataSource();
        fresh.setDataSource(TestServer.dataSource(server));
        fresh.setConnectionInitSql("SET default_transaction_isolation = '" + isolation + "'");
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
        return schema + "." + name;
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
        server.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }
}
