package io.fenceline.jdbc.product;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.jdbc.sql.SqlNames;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Base of the fences on products that keep names as bytes in UTF-8, since their comparison of texts depends on how a database was set
 * up. Unless a product has something better, a fence is an update, and an insert if there is no row. If somebody else inserts it first,
 * the update runs again. A condition on a row that was waited for has to be evaluated again on the row as it is then.
 */
public abstract class ByteNameFences implements FenceDialect {

    private static final SqlFile COMMON = SqlFile.of(ByteNameFences.class, "table-fence-statements.sql");

    /** The statements of the product, with those that products have in common. */
    protected final SqlFile sql = SqlFile.of(getClass(), "fence-statements.sql").and(COMMON);

    private final int duplicateKey;
    private final Set<Integer> conflicts;

    /** Creates the base with the product's error codes for a duplicate key, and for transactions given up because of others. */
    protected ByteNameFences(int duplicateKey, Set<Integer> conflicts) {
        this.duplicateKey = duplicateKey;
        this.conflicts = conflicts;
    }

    /** Returns statements that admit if they change one row. */
    protected final List<FenceStep> steps(String... names) {
        return Arrays.stream(names).map(name -> FenceStep.one(sql.text(name))).toList();
    }

    @Override
    public List<FenceStep> write(FenceRule rule) {
        String raise = rule == FenceRule.ONCE ? "raise_written_once" : "raise_written";
        return steps(raise, "make_written", raise);
    }

    @Override
    public List<FenceStep> claim() {
        return steps("raise_claimed", "make_claimed", "raise_claimed");
    }

    @Override
    public List<FenceStep> raiseClock() {
        return steps("raise_clock", "make_clock", "raise_clock");
    }

    @Override
    public List<String> nextNumber() {
        return List.of(sql.text("count"), sql.text("count_first"), sql.text("count"));
    }

    @Override
    public String quoted(String identifier) {
        return SqlNames.quoted(identifier, '"');
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        Sql columns = SqlFile.of(getClass(), "lock-statements.sql").sql("columns");
        return new FoundTables(columns).problems(connection, script);
    }

    @Override
    public final String now() {
        return sql.text("now");
    }

    @Override
    public final Object key(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public final String key(ResultSet row, String column) throws SQLException {
        return new String(row.getBytes(column), StandardCharsets.UTF_8);
    }

    /** {@inheritDoc} Where a transaction keeps what it saw first and would see something else, it fails. */
    @Override
    public String latest(String query) {
        return query + " FOR UPDATE";
    }

    @Override
    public final String script(String part) {
        return ScriptFiles.read(getClass(), part + "-1.sql");
    }

    @Override
    public final boolean isForestalled(SQLException e) {
        return e.getErrorCode() == duplicateKey;
    }

    @Override
    public final boolean isConflict(SQLException e) {
        return conflicts.contains(e.getErrorCode()) || "40001".equals(e.getSQLState());
    }
}
