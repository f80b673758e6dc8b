package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.trigger.SessionStamp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Fences on SQLite. A transaction of the guard's own begins with a write, so it has the write lock of the whole file from its
 * first statement on and never has to turn from a reader into a writer.
 */
final class SqliteFences extends UpsertDialect {

    static final FenceDialect DIALECT = new SqliteFences();

    private static final String NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";

    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READONLY = 8;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;

    /** The transaction had read what has changed since. */
    private static final String OUTDATED = "SQLITE_BUSY_SNAPSHOT";

    private static final Sql OBJECTS = new Sql("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL");

    /** How many texts a column takes 'a' and another one for. */
    private static final String TEXTS = """
            (SELECT count(*) FROM (SELECT %s FROM %s WHERE 0 UNION SELECT 'a' UNION SELECT '%s'))""";

    private SqliteFences() {
        super(NOW, NOW);
    }

    @Override
    public String product() {
        return "SQLite";
    }

    @Override
    public String script(String part) {
        return GuardScript.text("sqlite", part);
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        Map<String, String> found = objects(connection);
        List<String> problems = new ArrayList<>();
        try (Connection empty = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            try (Statement statement = empty.createStatement()) {
                statement.executeUpdate(script);
            }
            objects(empty).forEach((name, sql) -> {
                if (!found.containsKey(name)) {
                    problems.add(name + " is missing");
                } else if (!sql.equals(found.get(name))) {
                    problems.add(name + " is different; it should be: " + sql);
                }
            });
        }
        return problems;
    }

    private static Map<String, String> objects(Connection connection) throws SQLException {
        Map<String, String> objects = new TreeMap<>();
        OBJECTS.all(connection, row -> objects.put(row.getString(1), row.getString(2)));
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
        String from = Arrays.stream(table.split("\\.", -1)).map(this::quoted).collect(Collectors.joining("."));
        String sql = "SELECT " + TEXTS.formatted(quoted(column), from, "A") + ", "
                + TEXTS.formatted(quoted(column), from, "a ");
        try (Statement statement = connection.createStatement();
                ResultSet counts = statement.executeQuery(sql)) {
            if (counts.getInt(1) < 2) {
                return TextComparison.LOOSE;
            }
            return counts.getInt(2) < 2 ? TextComparison.PADDED : TextComparison.EXACT;
        }
    }

    /**
     * {@inheritDoc} The driver begins a transaction with the first statement after auto-commit was turned off. Of one that SQL began it knows
     * nothing, and would commit it; only in such a one SQLite begins no other.
     */
    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            return true;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            statement.execute("COMMIT");
            return false;
        } catch (SQLException e) {
            if (String.valueOf(e.getMessage()).contains("within a transaction")) {
                return true;
            }
            throw e;
        }
    }

    /** {@inheritDoc} A statement that fails is undone by itself; if all was, the commit says so. */
    @Override
    public Unbroken watch(Connection connection) {
        return () -> {};
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
        return e.getErrorCode() == BUSY || e.getErrorCode() == LOCKED;
    }

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        return switch (e.getErrorCode()) {
            case BUSY, LOCKED -> error(ErrorCode.ABORTED, Effect.NONE, busy(e), e);
            case READONLY ->
                error(
                        ErrorCode.AUTH_FAILED,
                        Effect.NONE,
                        "the file is read-only; allow writing to it and its folder",
                        e);
            case FULL -> error(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "there is no space left on the disk", e);
            case CANTOPEN -> error(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "the file cannot be opened", e);
            default -> error(ErrorCode.INTERNAL, missingTable(e) ? Effect.NONE : unclear, other(e), e);
        };
    }

    private static String busy(SQLException e) {
        return String.valueOf(e.getMessage()).contains(OUTDATED)
                ? "the transaction had read what others have changed since, so it cannot write any more; enter the guard"
                        + " first, or begin with BEGIN IMMEDIATE"
                : "others kept the file locked up to busy_timeout; write in shorter transactions, or raise it";
    }

    private static String other(SQLException e) {
        if (String.valueOf(e.getMessage()).contains("no transaction is active")) {
            return "the guarded transaction was ended in the middle; what was before is committed, and what followed is not"
                    + " under the fence, and is committed too: " + e.getMessage();
        }
        return missingTable(e)
                ? "a table is missing; install the guard's schema: " + e.getMessage()
                : String.valueOf(e.getMessage());
    }

    private static boolean missingTable(SQLException e) {
        return String.valueOf(e.getMessage()).contains("no such table");
    }

    @Override
    public BackendException unreachable(SQLException e) {
        return error(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "no connection: " + e.getMessage(), e);
    }

    private static BackendException error(ErrorCode code, Effect effect, String text, SQLException cause) {
        return new BackendException(code, effect, "SQLite: " + text, cause);
    }
}
