package io.fenceline.jdbc.product;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.jdbc.sql.SqlNames;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Base of the fences on products with {@code INSERT … ON CONFLICT}, which decide in one statement and keep names as text. */
public abstract class UpsertFences implements FenceDialect {

    private static final SqlFile UPSERTS = SqlFile.of(UpsertFences.class, "upsert-fence-statements.sql");

    /** The statements of the product, with the upserts. */
    protected final SqlFile sql = SqlFile.of(getClass(), "fence-statements.sql").and(UPSERTS);

    @Override
    public final List<FenceStep> write(FenceRule rule) {
        return List.of(FenceStep.one(sql.text(rule == FenceRule.ONCE ? "write_once" : "write")));
    }

    @Override
    public final List<FenceStep> claim() {
        return List.of(FenceStep.one(sql.text("claim")));
    }

    @Override
    public final List<String> nextNumber() {
        return List.of(sql.text("next_number"));
    }

    @Override
    public final List<FenceStep> raiseClock() {
        return List.of(FenceStep.one(sql.text("raise_clock")));
    }

    @Override
    public final String now() {
        return sql.text("now");
    }

    @Override
    public final Object key(String name) {
        return name;
    }

    @Override
    public final String key(ResultSet row, String column) throws SQLException {
        return row.getString(column);
    }

    /** {@inheritDoc} The row was written by the transaction before, or the isolation level shows what is committed. */
    @Override
    public final String latest(String query) {
        return query;
    }

    /** {@inheritDoc} The product's catalog tells: drivers do not know of parts of an index. */
    @Override
    public final List<KeyUniqueness> uniqueness(Connection connection, String table, String column)
            throws SQLException {
        Optional<Boolean> isUnique =
                sql.sql("is_unique").one(connection, row -> row.getBoolean(1), quotedTable(table), column);
        if (isUnique.isEmpty()) {
            return List.of();
        }
        List<String> primaryKey = sql.sql("primary_key").all(connection, row -> row.getString(1), quotedTable(table));
        return List.of(new KeyUniqueness(isUnique.get(), primaryKey));
    }

    /** Quotes the name of a table, which may be in a schema. */
    protected final String quotedTable(String table) {
        return Arrays.stream(table.split("\\.", -1)).map(this::quoted).collect(Collectors.joining("."));
    }

    @Override
    public final String quoted(String identifier) {
        return SqlNames.quoted(identifier, '"');
    }

    @Override
    public final String script(String part) {
        return ScriptFiles.read(getClass(), part + "-1.sql");
    }
}
