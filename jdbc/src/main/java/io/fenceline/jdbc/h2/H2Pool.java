package io.fenceline.jdbc.h2;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.UriPool;
import io.fenceline.jdbc.sql.SqlErrors;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import org.h2.api.ErrorCode;

/**
 * The pool of a store that is opened by its URI. One connection stays, since H2 closes a database with the last of them. H2 makes a
 * database when somebody connects to it; this pool does not, and a missing one is made before the first change.
 */
final class H2Pool extends HikariDataSource {

    private final H2Uri uri;
    private final SqlErrors errors;

    private H2Pool(H2Uri uri, SqlErrors errors) {
        this.uri = uri;
        this.errors = errors;
        UriPool.configure(this, uri.jdbcUrl() + ";IFEXISTS=TRUE", uri.properties(), errors);
        setMinimumIdle(1);
        setExceptionOverride(new H2BrokenConnections());
    }

    static OpenedDatabase open(H2Uri uri, SqlErrors errors) {
        H2Pool pool = new H2Pool(uri, errors);
        try {
            UriPool.connect(pool);
        } catch (SQLException e) {
            if (e.getErrorCode() != ErrorCode.DATABASE_NOT_FOUND_WITH_IF_EXISTS_1) {
                throw errors.unreachable(e);
            }
        }
        return new OpenedDatabase(pool, Optional.empty(), uri.table(), pool::close, pool::make);
    }

    /** Makes the database if it is missing, and leaves it open. */
    private void make() {
        try {
            Connection made = DriverManager.getConnection(uri.jdbcUrl(), uri.properties());
            try {
                UriPool.connect(this);
            } finally {
                made.close();
            }
        } catch (SQLException e) {
            throw errors.unreachable(e);
        }
    }

    /** A missing database is told at once; HikariCP would pause for a second before. */
    @Override
    public Connection getConnection() throws SQLException {
        if (getHikariPoolMXBean() == null) {
            DriverManager.getConnection(getJdbcUrl(), uri.properties()).close();
        }
        return super.getConnection();
    }
}
