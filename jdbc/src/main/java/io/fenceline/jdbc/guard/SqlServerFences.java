package io.fenceline.jdbc.guard;

import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.sqlserver.SqlServerDialect;
import io.fenceline.jdbc.sqlserver.SqlServerTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Fences on SQL Server; never run against one. The hints keep the row locked until the transaction ends, or where there is none
 * the place between its neighbours, so that writers of one resource take turns from the first statement on, at every isolation
 * level.
 */
final class SqlServerFences extends StepwiseDialect {

    static final FenceDialect DIALECT = new SqlServerFences();

    private static final String LOCKING = " WITH (UPDLOCK, HOLDLOCK, ROWLOCK)";

    /** Unique index, primary key. */
    private static final Set<Integer> DUPLICATE_KEY = Set.of(2601, 2627);

    /** Deadlock, row changed meanwhile under SNAPSHOT. */
    private static final Set<Integer> CONFLICTS = Set.of(1205, 3960);

    private static final String COUNT = """
            UPDATE fenceline_fences_clock%1$s
               SET last_number = last_number + 1 OUTPUT inserted.last_number
             WHERE name = ?1 AND last_number < ?2""".formatted(LOCKING);

    private static final String COUNT_FIRST = """
            INSERT INTO fenceline_fences_clock (name, last_number) OUTPUT inserted.last_number
            SELECT ?1, 1
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences_clock%1$s WHERE name = ?1)""".formatted(LOCKING);

    private static final Sql TRANSACTION = new Sql("SELECT CURRENT_TRANSACTION_ID()");

    private SqlServerFences() {
        super(new SqlServerDialect(), SqlServerDialect.NOW, LOCKING);
    }

    @Override
    public List<String> nextNumber() {
        return List.of(COUNT, COUNT_FIRST, COUNT);
    }

    @Override
    public String first(String query, String count) {
        return query + " OFFSET 0 ROWS FETCH NEXT " + count + " ROWS ONLY";
    }

    @Override
    public String latest(String query) {
        return query.replace("fenceline_fences", "fenceline_fences" + LOCKING);
    }

    @Override
    public String quoted(String identifier) {
        return QuotedName.of(identifier, '[', ']');
    }

    @Override
    public String script(String part) {
        return GuardScript.text("sqlserver", part);
    }

    /** {@inheritDoc} Nothing is done: of two at once one may fail, and succeeds when it is repeated. */
    @Override
    public void aloneWithSchema(Connection connection) {}

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        return SqlServerTables.problems(connection, ScriptTables.of(script));
    }

    /** {@inheritDoc} A deadlock undoes all of the transaction, and the next statement begins another. */
    @Override
    public Unbroken watch(Connection connection) throws SQLException {
        return BrokenTransaction.watch("SQL Server", connection, TRANSACTION);
    }

    @Override
    public boolean isForestalled(SQLException e) {
        return DUPLICATE_KEY.contains(e.getErrorCode());
    }

    @Override
    public boolean isConflict(SQLException e) {
        return CONFLICTS.contains(e.getErrorCode()) || "40001".equals(e.getSQLState());
    }
}
