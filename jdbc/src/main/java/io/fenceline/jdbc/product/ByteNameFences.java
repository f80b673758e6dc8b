package io.fenceline.jdbc.product;

import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.jdbc.sql.SqlFile;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Base of the fences on products that keep names as bytes in UTF-8, since their comparison of texts depends on how a database was set
 * up. A first row is inserted by a statement of its own, which may fail when somebody else inserts it.
 */
public abstract class ByteNameFences implements FenceDialect {

    /** The statements of the product. */
    protected final SqlFile sql = SqlFile.of(getClass(), "fence-statements.sql");

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
    public final String latest(String query) {
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
