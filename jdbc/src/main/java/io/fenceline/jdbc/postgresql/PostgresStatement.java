package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.sql.Batch;
import io.fenceline.jdbc.sql.RowReader;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * A statement in a transaction of its own, which is at READ COMMITTED once it turns out that another level is the default: at a stricter one a statement fails if
 * its row has changed since it began, and at SERIALIZABLE it also conflicts with statements on other rows. The failed statement has changed nothing, and is
 * run again at once.
 */
final class PostgresStatement {

    /** The SQLSTATE of a conflict. There is none at READ COMMITTED. */
    private static final String CONFLICT = "40001";

    private final Sql atDefaultLevel;
    private final Batch readCommitted;
    private volatile boolean conflicts;

    PostgresStatement(SqlFile sql, String name) {
        this.atDefaultLevel = sql.sql(name);
        this.readCommitted = new Batch(sql.text(name));
    }

    /** Runs it and reads the first row. */
    <T> Optional<T> one(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        return all(connection, reader, values).stream().findFirst();
    }

    /** Runs it and reads all rows. */
    <T> List<T> all(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        if (!conflicts) {
            try {
                return atDefaultLevel.all(connection, reader, values);
            } catch (SQLException e) {
                if (!CONFLICT.equals(e.getSQLState())) {
                    throw e;
                }
                conflicts = true;
            }
        }
        return readCommitted.all(connection, reader, values);
    }
}
