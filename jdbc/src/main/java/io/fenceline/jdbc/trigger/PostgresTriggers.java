package io.fenceline.jdbc.trigger;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.sql.TableNames;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Triggers of PostgreSQL 13 or later, in a database in UTF8.
 *
 * <p>The stamp is the setting {@code fenceline.stamp}: the id of the transaction that it was made for, a colon, a token, a space
 * and the lock's key. {@code SELECT fenceline_stamp(34, 'nightly')} makes it, for the rest of the transaction. One that outlives its
 * transaction, by {@code SET} or through a pool, admits nobody.
 *
 * <p>A write takes the row's fence with the row, and keeps both until its transaction ends, which the server does after 10 s of idleness
 * unless {@code idle_in_transaction_session_timeout} says otherwise. Refusals have an SQLSTATE of class {@code ZF}: {@code ZF001}
 * stale, {@code ZF002} of another lock, {@code ZF003} without a token, {@code ZF004} malformed, or of a row whose name
 * is longer than 512 bytes, {@code ZF005} with a token of
 * another transaction. {@code ZF006} refuses a table that cannot be guarded as it was asked for.
 *
 * <p>Covered are INSERT, UPDATE (also of the key), DELETE, MERGE, COPY and TRUNCATE, of the table, its partitions and the tables that
 * inherit from it. Those that come later are covered from their start if the role that installs is a superuser (an event trigger follows
 * them), else from the next installation. Not covered are DROP TABLE, detached partitions, and whoever may disable triggers: the
 * table's owner, superusers, and sessions with {@code session_replication_role = replica}.
 */
public final class PostgresTriggers implements TriggerDialect {

    private static final ScriptTemplate CHECK = ScriptTemplate.of("postgresql-default.sql");
    private static final ScriptTemplate FENCES = ScriptTemplate.of("/io/fenceline/jdbc/postgresql/fences-1.sql");
    private static final ScriptTemplate SHARED = ScriptTemplate.of(
            "postgresql-shared.sql", "postgresql-names.sql", "postgresql-checks.sql", "postgresql-guard.sql");
    private static final ScriptTemplate TABLE = ScriptTemplate.of("postgresql-table.sql");
    private static final ScriptTemplate REMOVAL = ScriptTemplate.of("postgresql-removal.sql");
    private static final String FOLLOWING = "fenceline_follow_";

    private static final int MAX_NAME_BYTES = 63;
    private static final int MAX_FENCES_LENGTH = 47;
    private static final Pattern FOLDED = Pattern.compile("[A-Z]+"); // and no other letters, in UTF8
    private static final SqlName.Folding FOLDING =
            unquoted -> FOLDED.matcher(unquoted).replaceAll(part -> part.group().toLowerCase(Locale.ROOT));

    private final String fences;
    private final boolean chosen;

    /**
     * Creates the dialect for fences in {@code public.fenceline_fences}; called by {@link java.util.ServiceLoader}. An installation fails
     * in a database that has others in another schema, since programs may find those.
     */
    public PostgresTriggers() {
        this("public.fenceline_fences", false);
    }

    /**
     * Creates the dialect.
     *
     * @param fences the table with the fences, after its schema and a dot; functions get names that begin with it
     * @throws IllegalArgumentException if it has no schema or is no plain name
     */
    public PostgresTriggers(String fences) {
        this(fences, true);
    }

    private PostgresTriggers(String fences, boolean chosen) {
        TableNames.check(fences, MAX_FENCES_LENGTH);
        if (fences.indexOf('.') < 0) {
            throw new IllegalArgumentException(
                    "fences is '" + fences + "'; name its schema too, as in public." + fences);
        }
        this.fences = fences;
        this.chosen = chosen;
    }

    /**
     * Creates the dialect for fences that nobody has named: an installation fails where programs may find others.
     *
     * @throws IllegalArgumentException if the name is no plain one
     */
    static PostgresTriggers found(String fences) {
        return new PostgresTriggers(fences, false);
    }

    @Override
    public TriggerDialect withFences(String table) {
        return new PostgresTriggers(table);
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public String installation(GuardedTable table) {
        SqlName name = tableName(table.table());
        boolean observed = table.mode() == GuardedTable.Mode.OBSERVE;
        String key = key(table).stream()
                .map(column -> literal(column.last()))
                .collect(Collectors.joining(", ", "ARRAY[", "]"));
        Map<String, String> names = Map.of(
                "fenceline_fences", fences,
                "guarded_table", literal(name.sql()),
                "row_prefix", literal(table.prefix()),
                "key_columns", key,
                "changes_once", String.valueOf(table.rule() == FenceRule.ONCE),
                "observed_only", String.valueOf(observed),
                "ending_other_guards", removal(name, fences + "_function(guarded)"));
        return "-- Guards table " + name.sql() + (observed ? ", observing only.\n\n" : ".\n\n")
                + shared(name)
                + '\n'
                + TABLE.with(names);
    }

    @Override
    public String removal(String table) {
        return removal(tableName(table), "NULL");
    }

    private static String removal(SqlName table, String functionThatStays) {
        return REMOVAL.with(Map.of("guarded_table", literal(table.sql()), "function_that_stays", functionThatStays));
    }

    /** What others make meanwhile is seen by the statements that follow, whatever the default level is. */
    @Override
    public String script(String statements) {
        return "BEGIN ISOLATION LEVEL READ COMMITTED;\n" + statements + "COMMIT;\n";
    }

    static SqlName tableName(String table) {
        return SqlName.parse("the table", table, FOLDING);
    }

    /** A text for a statement, also between two dollars, and however the session reads backslashes. */
    private static String literal(String text) {
        String literal = SqlName.literal(text.replace("\\", "\\\\").replace("$", "\\044"));
        return literal.indexOf('\\') < 0 ? literal : "E" + literal;
    }

    static List<SqlName> key(GuardedTable table) {
        return table.key().stream()
                .map(column -> SqlName.parsePlain("a key column of " + table.table(), column, FOLDING))
                .toList();
    }

    private String shared(SqlName table) {
        String following =
                FOLLOWING + BoundedName.of(List.of(fences.split("\\.")), MAX_NAME_BYTES - FOLLOWING.length());
        return SHARED.with(Map.of(
                "table_of_fences",
                check(table) + FENCES.with(Map.of("fenceline_fences", fences)),
                "public.fenceline_fences",
                fences,
                "public.",
                schema() + '.',
                "following_trigger",
                SqlName.quoted(following)));
    }

    private String check(SqlName table) {
        String name = fences.substring(fences.indexOf('.') + 1);
        return chosen
                ? ""
                : CHECK.with(
                        Map.of("fences_schema", schema(), "fences_name", name, "guarded_table", literal(table.sql())));
    }

    /** The table with the counts. */
    String observed() {
        return schema() + ".fenceline_observed";
    }

    private String schema() {
        return fences.substring(0, fences.indexOf('.'));
    }
}
