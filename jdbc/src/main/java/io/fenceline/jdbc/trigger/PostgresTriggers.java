package io.fenceline.jdbc.trigger;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.GuardedTable;
import io.fenceline.guard.TriggerDialect;
import io.fenceline.jdbc.dialect.LockTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Triggers of PostgreSQL 13 or later, in a database in UTF8.
 *
 * <p>The stamp is the setting {@code fenceline.stamp}: a token, a space and the lock's key. It is set for the transaction
 * ({@code SET LOCAL fenceline.stamp = '34 nightly'}) and ends with it, so a pooled connection takes none along.
 *
 * <p>A write takes the row's fence with the row, and keeps both until its transaction ends. Refusals have an SQLSTATE of class
 * {@code ZF}: {@code ZF001} stale, {@code ZF002} of another lock, {@code ZF003} without a token, {@code ZF004} malformed. Covered
 * are INSERT, UPDATE (also of the key), DELETE, MERGE, COPY and TRUNCATE. Not covered are DROP TABLE, and whoever may disable
 * triggers: the table's owner, superusers, and sessions with {@code session_replication_role = replica}.
 */
public final class PostgresTriggers implements TriggerDialect {

    private static final Script FENCES = Script.of("/io/fenceline/jdbc/guard/postgresql-fences-1.sql");
    private static final Script SHARED = Script.of("postgresql-guard.sql");
    private static final Script TABLE = Script.of("postgresql-table.sql");
    private static final String REMOVAL = """
            DROP TRIGGER IF EXISTS fenceline_guard ON guarded_table;
            DROP TRIGGER IF EXISTS fenceline_guard_truncate ON guarded_table;
            DROP FUNCTION IF EXISTS guarding_function();
            """;

    private static final int MAX_NAME_BYTES = 63;
    private static final SqlName.Folding FOLDING = unquoted -> unquoted.toLowerCase(Locale.ROOT);

    private final String fences;

    /** Creates the dialect for fences in {@code public.fenceline_fences}; called by {@link java.util.ServiceLoader}. */
    public PostgresTriggers() {
        this("public.fenceline_fences");
    }

    /**
     * Creates the dialect.
     *
     * @param fences the table with the fences, after its schema and a dot; functions get names that begin with it
     * @throws IllegalArgumentException if it has no schema or is no plain name
     */
    public PostgresTriggers(String fences) {
        new LockTable(fences);
        if (fences.indexOf('.') < 0) {
            throw new IllegalArgumentException(
                    "fences is '" + fences + "'; name its schema too, as in public." + fences);
        }
        this.fences = fences;
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public String installation(GuardedTable table) {
        SqlName name = tableName(table.table());
        List<SqlName> key = key(table);
        String once = String.valueOf(table.rule() == FenceRule.ONCE);
        boolean observed = table.mode() == GuardedTable.Mode.OBSERVE;
        Map<String, String> names = new TreeMap<>(Map.of(
                "guarded_table", name.sql(),
                "guarding_function", function(name),
                "key_columns", key.stream().map(SqlName::sql).collect(Collectors.joining(", ")),
                "name_of(OLD)", nameOf("OLD", table.prefix(), key),
                "name_of(NEW)", nameOf("NEW", table.prefix(), key),
                "check_write(before)", check("before", once, observed),
                "check_write(after)", check("after", once, observed),
                "refuse_truncate", truncate(name, observed)));
        return "-- Guards table " + name.sql() + (observed ? ", observing only.\n\n" : ".\n\n")
                + shared()
                + '\n'
                + TABLE.with(names);
    }

    @Override
    public String removal(String table) {
        SqlName name = tableName(table);
        return REMOVAL.replace("guarded_table", name.sql()).replace("guarding_function", function(name));
    }

    static SqlName tableName(String table) {
        return SqlName.parse("the table", table, FOLDING);
    }

    static List<SqlName> key(GuardedTable table) {
        return table.key().stream()
                .map(column -> SqlName.parsePlain("a key column of " + table.table(), column, FOLDING))
                .toList();
    }

    private String shared() {
        return FENCES.with(Map.of("fenceline_fences", fences))
                + '\n'
                + SHARED.with(Map.of("public.fenceline_fences", fences, "public.fenceline_observed", observed()));
    }

    /** The table with the counts. */
    String observed() {
        return schema() + ".fenceline_observed";
    }

    private String schema() {
        return fences.substring(0, fences.indexOf('.'));
    }

    private String function(SqlName table) {
        String name = "fenceline_guard_" + BoundedName.of(table.parts(), MAX_NAME_BYTES - "fenceline_guard_".length());
        return schema() + '.' + SqlName.quoted(name);
    }

    private String nameOf(String row, String prefix, List<SqlName> key) {
        String text = key.size() == 1
                ? keyOf(row, key.get(0))
                : key.stream()
                        .map(column -> fences + "_part(" + keyOf(row, column) + ')')
                        .collect(Collectors.joining(" || '/' || "));
        return SqlName.literal(prefix) + " || " + text;
    }

    private String keyOf(String row, SqlName column) {
        return fences + "_key(" + row + '.' + column.sql() + ')';
    }

    private String check(String name, String once, boolean observed) {
        return observed
                ? "PERFORM " + fences + "_observe(" + name + ", " + once + ", TG_RELID, TG_OP)"
                : "PERFORM " + fences + "_enforce(" + name + ", " + once + ')';
    }

    private String truncate(SqlName table, boolean observed) {
        return observed
                ? "PERFORM " + fences + "_count(TG_RELID, TG_OP, 'missing', NULL, NULL)"
                : "RAISE 'fenceline: missing token: write to %', to_json(" + SqlName.literal("all of " + table.sql())
                        + "::text)\n      USING ERRCODE = 'ZF003', HINT = 'TRUNCATE looks at no row; use DELETE.'";
    }
}
