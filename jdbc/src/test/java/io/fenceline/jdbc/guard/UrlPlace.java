package io.fenceline.jdbc.guard;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** What a JDBC URL names, for another process. Makes and removes nothing. */
final class UrlPlace implements GuardPlace {

    private final HikariDataSource pool = new HikariDataSource();

    UrlPlace(String url) {
        pool.setJdbcUrl(url);
        pool.setMinimumIdle(0);
        pool.setMaximumPoolSize(2);
    }

    @Override
    public DataSource source() {
        return pool;
    }

    @Override
    public String in(String name) {
        return name;
    }

    @Override
    public String textType(int length) {
        return pool.getJdbcUrl().startsWith("jdbc:mariadb:")
                ? MariaDbPlace.bytewise(length)
                : GuardPlace.super.textType(length);
    }

    @Override
    public void restart() {}

    @Override
    public void close() {
        pool.close();
    }
}
