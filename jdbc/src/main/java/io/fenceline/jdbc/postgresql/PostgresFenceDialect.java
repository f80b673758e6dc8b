package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.OneRequest;
import io.fenceline.jdbc.product.TextComparison;
import io.fenceline.jdbc.product.TransactionCheck;
import io.fenceline.jdbc.product.UpsertFences;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Fences on PostgreSQL: one statement, which locks the row and evaluates its latest state at READ COMMITTED. */
final class PostgresFenceDialect extends UpsertFences {

    /** Serialization failure, deadlock. */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

    private static final Sql READ_COMMITTED = new Sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");

    @Override
    public Optional<OneRequest> oneRequest() {
        return Optional.of(
                new OneRequest(sql.text("write_if_found"), ")\n" + sql.text("or_raise"), sql.text("written")));
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        READ_COMMITTED.run(connection); // else the statements that follow see nothing of what is waited for
        sql.sql("lock_schema").all(connection, row -> true);
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        return PostgresTables.FOUND.problems(connection, script);
    }

    /** {@inheritDoc} A failed transaction answers its commit with a rollback, which the driver takes for a success. */
    @Override
    public TransactionCheck watch(Connection connection) throws SQLException {
        return TransactionCheck.byId("PostgreSQL", connection, sql.sql("transaction"));
    }

    /** {@inheritDoc} {@code name} and {@code "char"} cut longer texts without an error. */
    @Override
    public int columnType(int type, String typeName) {
        return typeName.equals("name") || typeName.equals("char") ? Types.OTHER : type;
    }

    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        return sql.sql("comparison")
                .one(connection, row -> TextComparison.valueOf(row.getString(1)), quotedTable(table), column)
                .orElse(TextComparison.EXACT);
    }

    @Override
    public boolean isConflict(SQLException e) {
        return e.getSQLState() != null && CONFLICTS.contains(e.getSQLState());
    }
}
