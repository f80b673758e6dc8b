package io.fenceline.jdbc.sqlite;

import io.fenceline.FenceStamp;
import io.fenceline.jdbc.product.TextComparison;
import io.fenceline.jdbc.product.TransactionCheck;
import io.fenceline.jdbc.product.UpsertFences;
import io.fenceline.jdbc.trigger.SessionStamp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Fences on SQLite. A transaction of the guard's own begins with a write, so it has the write lock of the whole file from its
 * first statement on and never has to turn from a reader into a writer.
 */
final class SqliteFenceDialect extends UpsertFences {

    private static final int BUSY = 5;
    private static final int LOCKED = 6;

    /** How many texts a column takes 'a' and another one for. */
    private static final String TEXTS = """
            (SELECT count(*) FROM (SELECT %s FROM %s WHERE 0 UNION SELECT 'a' UNION SELECT '%s'))""";

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        Map<String, String> found = objects(connection);
        List<String> problems = new ArrayList<>();
        try (Connection empty = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            try (Statement statement = empty.createStatement()) {
                statement.executeUpdate(script);
            }
            objects(empty).forEach((name, definition) -> {
                if (!found.containsKey(name)) {
                    problems.add(name + " is missing");
                } else if (!definition.equals(found.get(name))) {
                    problems.add(name + " is different; it should be: " + definition);
                }
            });
        }
        return problems;
    }

    private Map<String, String> objects(Connection connection) throws SQLException {
        Map<String, String> objects = new TreeMap<>();
        sql.sql("objects").all(connection, row -> objects.put(row.getString(1), row.getString(2)));
        return objects;
    }

    /** {@inheritDoc} A column has an affinity, which follows from the words in its type. */
    @Override
    public int columnType(int type, String typeName) {
        String name = typeName.toUpperCase(Locale.ROOT);
        if (name.contains("INT")) {
            return Types.BIGINT;
        } else if (name.contains("CHAR") || name.contains("CLOB") || name.contains("TEXT")) {
            return Types.VARCHAR;
        } else if (name.contains("BLOB")) {
            return Types.VARBINARY;
        }
        boolean isBinary = name.isEmpty() || name.contains("REAL") || name.contains("FLOA") || name.contains("DOUB");
        return isBinary ? Types.OTHER : Types.NUMERIC;
    }

    /** {@inheritDoc} What is no integer of 8 bytes is a binary floating-point number. */
    @Override
    public int exactDigits() {
        return 15;
    }

    /** {@inheritDoc} Conditions compare by the column's collation, whatever that of its index is. A view's column has its table's. */
    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        String from = quotedTable(table);
        String query = "SELECT " + TEXTS.formatted(quoted(column), from, "A") + ", "
                + TEXTS.formatted(quoted(column), from, "a ");
        try (Statement statement = connection.createStatement();
                ResultSet counts = statement.executeQuery(query)) {
            if (counts.getInt(1) < 2) {
                return TextComparison.LOOSE;
            }
            return counts.getInt(2) < 2 ? TextComparison.PADDED : TextComparison.EXACT;
        }
    }

    /**
     * {@inheritDoc} A savepoint goes with its transaction, after which the driver may have begun another one. If none is active, the
     * commit says so.
     */
    @Override
    public TransactionCheck watch(Connection connection) throws SQLException {
        execute(connection, "SAVEPOINT fenceline_fenced");
        return () -> {
            try {
                execute(connection, "RELEASE fenceline_fenced");
            } catch (SQLException e) {
                if (!String.valueOf(e.getMessage()).contains("no such savepoint")) {
                    throw e;
                }
                if (connection.getAutoCommit() || Sqlite.isActive(connection)) {
                    throw TransactionCheck.ended("SQLite", connection, e);
                }
            }
        };
    }

    private static void execute(Connection connection, String statement) throws SQLException {
        try (Statement executed = connection.createStatement()) {
            executed.execute(statement);
        }
    }

    /** {@inheritDoc} A row that has to be gone at the commit. */
    @Override
    public Optional<FenceStamp> show(Connection connection, FenceStamp stamp, String resource) throws SQLException {
        return SessionStamp.show(connection, stamp, resource);
    }

    @Override
    public void hide(Connection connection, Optional<FenceStamp> before) throws SQLException {
        SessionStamp.hide(connection, before);
    }

    @Override
    public boolean isConflict(SQLException e) {
        return (e.getErrorCode() == BUSY || e.getErrorCode() == LOCKED) && !SqliteGuardErrors.hasOpenResult(e);
    }
}
