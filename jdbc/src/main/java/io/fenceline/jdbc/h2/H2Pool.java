package io.fenceline.jdbc.h2;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.UriPool;
import io.fenceline.jdbc.sql.SqlErrors;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.h2.api.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The pool of a store that is opened by its URI. One connection stays, since H2 closes a database with the last of them. H2 makes a
 * database when somebody connects to it; this pool refuses to until the first change.
 */
final class H2Pool implements DataSource {

    private final H2Uri uri;
    private final SqlErrors errors;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile boolean making;
    private volatile @Nullable HikariDataSource pool;

    private H2Pool(H2Uri uri, SqlErrors errors) {
        this.uri = uri;
        this.errors = errors;
    }

    static OpenedDatabase open(H2Uri uri, SqlErrors errors) {
        H2Pool place = new H2Pool(uri, errors);
        try {
            // Opens it now, and says at once why it cannot.
            place.getConnection().close();
        } catch (SQLException e) {
            if (e.getErrorCode() != ErrorCode.DATABASE_NOT_FOUND_WITH_IF_EXISTS_1) {
                place.close();
                throw errors.unreachable(e);
            }
        }
        return new OpenedDatabase(place, Optional.empty(), uri.table(), place::close, place::make);
    }

    /** Lets the database be made by the next connection. */
    private void make() {
        making = true;
    }

    @Override
    public Connection getConnection() throws SQLException {
        HikariDataSource open = pool;
        return UriPool.connection(open == null ? opened() : open);
    }

    private HikariDataSource opened() throws SQLException {
        turn.lock();
        try {
            HikariDataSource open = pool;
            if (open == null) {
                if (!making) {
                    DriverManager.getConnection(uri.jdbcUrl() + ";IFEXISTS=TRUE", uri.properties())
                            .close();
                }
                HikariConfig config = UriPool.config(uri.jdbcUrl(), uri.properties());
                config.setDriverClassName("org.h2.Driver");
                config.setMinimumIdle(1);
                config.setExceptionOverride(new H2BrokenConnections());
                open = UriPool.connected(config, errors);
                pool = open;
            }
            return open;
        } finally {
            turn.unlock();
        }
    }

    private void close() {
        HikariDataSource open = pool;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the URI names the user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("this is no " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
