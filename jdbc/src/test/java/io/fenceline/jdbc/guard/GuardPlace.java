package io.fenceline.jdbc.guard;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** An empty place in a real database, for one test. */
interface GuardPlace extends AutoCloseable {

    /** Returns the data source of the time: another one after a restart. */
    DataSource source();

    /** Puts the place's schema before a name, if it has one. */
    String in(String name);

    void restart();

    /** Returns the type of texts that are compared as they are. */
    default String textType(int length) {
        return "VARCHAR(" + length + ")";
    }

    @Override
    void close();

    default GuardOptions options() {
        return GuardOptions.defaults().withTable(in("fenceline_fences"));
    }

    default Connection connect() throws SQLException {
        return source().getConnection();
    }

    default Connection begin() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    default void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
