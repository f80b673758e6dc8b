package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.BoundDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Does to its clients what a transaction-mode pooler does: each transaction is on another connection, from which everything that
 * the one before left there has been discarded.
 */
final class PoolerDataSource extends BoundDataSource {

    private final DataSource several;

    PoolerDataSource(DataSource several) {
        this.several = several;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try (Connection passedOver = several.getConnection()) {
            assert passedOver != null;
            Connection connection = several.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("DISCARD ALL");
            }
            return connection;
        }
    }
}
