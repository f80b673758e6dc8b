package io.fenceline.jdbc.trigger;

import io.fenceline.guard.FenceRule;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Triggers of SQLite 3.38 or later, as plain SQL: no program needs to register functions.
 *
 * <p>The stamp is a row of the table {@code fenceline_stamp} that a transaction inserts before it writes and deletes before it
 * commits. Only one transaction writes at a time, so only it sees the row. It cannot be left behind: a deferred foreign key
 * fails the commit, and on connections without {@code PRAGMA foreign_keys = ON}, where it would not, the row is refused. So
 * whatever goes wrong, a write without a stamp of its own transaction fails.
 *
 * <p>Covered are INSERT, UPDATE (also of the key), DELETE and REPLACE. Not covered are DROP TABLE, and the rows that REPLACE
 * deletes for another unique column than the key, unless {@code PRAGMA recursive_triggers} is on. Text keys are compared as
 * they are: they should be in NFC, and not differ in case only where the column does not tell case.
 */
public final class SqliteTriggers implements TriggerDialect {

    private static final ScriptTemplate FENCES = ScriptTemplate.of("/io/fenceline/jdbc/sqlite/fences-1.sql");
    private static final ScriptTemplate SHARED = ScriptTemplate.of("sqlite-guard.sql");
    private static final ScriptTemplate TABLE = ScriptTemplate.of("sqlite-table.sql");
    private static final ScriptTemplate RENAMED = ScriptTemplate.of("sqlite-renamed.sql");

    private static final int MAX_NAME_BYTES = 100;
    private static final SqlName.Folding FOLDING = unquoted -> unquoted;

    /** Creates the dialect; called by {@link java.util.ServiceLoader}. */
    public SqliteTriggers() {}

    @Override
    public String name() {
        return "sqlite";
    }

    @Override
    public String installation(GuardedTable table) {
        SqlName name = tableName(table.table());
        List<SqlName> key = key(table);
        boolean observed = table.mode() == GuardedTable.Mode.OBSERVE;
        Map<String, String> names = new TreeMap<>(triggers(name));
        names.put("renamed_table_check", renamedCheck(name));
        names.put("guarded_table", name.sql());
        names.put(
                "key_columns",
                key.stream().map(column -> name.sql() + '.' + column.sql()).collect(Collectors.joining(", ")));
        names.put("checked_write", observed ? "fenceline_fences_observed_write" : "fenceline_fences_write");
        names.put("name_of(OLD)", nameOf("OLD", table.prefix(), key));
        names.put("name_of(NEW)", nameOf("NEW", table.prefix(), key));
        names.put("once", table.rule() == FenceRule.ONCE ? "1" : "0");
        names.put("written_table", SqlName.literal(name.last()));
        names.put(
                "key_checks", key.stream().map(column -> keyCheck(name, column)).collect(Collectors.joining()));
        names.put("row_prefix", SqlName.literal(table.prefix()));
        names.put("row_key", SqlName.literal(key.stream().map(SqlName::sql).collect(Collectors.joining(","))));
        names.put("insert_trigger_text", SqlName.literal(triggerName(name, "_insert")));
        names.put("name_text", SqlName.literal(SqlName.literal(table.prefix()) + " || "));
        return "-- Guards table " + name.sql() + (observed ? ", observing only.\n\n" : ".\n\n")
                + FENCES.text()
                + '\n'
                + SHARED.text()
                + '\n'
                + TABLE.with(names);
    }

    @Override
    public String removal(String table) {
        SqlName name = tableName(table);
        return triggers(name).values().stream()
                .sorted()
                .map(trigger -> "DROP TRIGGER IF EXISTS " + trigger + ";\n")
                .collect(Collectors.joining("", renamedCheck(name), ""));
    }

    private static String renamedCheck(SqlName table) {
        String own = Stream.of("_insert", "_update", "_delete")
                .map(end -> SqlName.literal(triggerName(table, end)))
                .collect(Collectors.joining(", "));
        return RENAMED.with(Map.of("trigger_names", own, "written_table", SqlName.literal(table.last())));
    }

    /** {@inheritDoc} SQLite's shell goes on after an error otherwise, and a transaction that has read before others wrote cannot write. */
    @Override
    public String script(String statements) {
        return ".bail on\n-- The sqlite3 shell would go on after an error. For other tools remove the line above.\n"
                + "BEGIN IMMEDIATE;\n" + statements + "COMMIT;\n";
    }

    static List<SqlName> key(GuardedTable table) {
        return table.key().stream()
                .map(column -> SqlName.parsePlain("a key column of " + table.table(), column, FOLDING))
                .toList();
    }

    static SqlName tableName(String table) {
        return SqlName.parsePlain("the table", table, FOLDING);
    }

    private static Map<String, String> triggers(SqlName table) {
        return Map.of(
                "insert_trigger", SqlName.quoted(triggerName(table, "_insert")),
                "update_trigger", SqlName.quoted(triggerName(table, "_update")),
                "delete_trigger", SqlName.quoted(triggerName(table, "_delete")));
    }

    /** SQLite does not tell names' case. */
    private static String triggerName(SqlName table, String end) {
        return "fenceline_guard_" + BoundedName.of(List.of(table.last().toLowerCase(Locale.ROOT)), MAX_NAME_BYTES)
                + end;
    }

    /**
     * Fails if the column is SQLite's own rowid, which changes at a VACUUM, if its collation treats different texts as equal, so that equal
     * keys would have different names, or if it is declared as boolean: programs name such a row by true, and SQLite keeps 1.
     */
    private static String keyCheck(SqlName table, SqlName column) {
        String unfit = "fenceline: column " + column.sql() + " of " + table.sql() + " cannot name rows: it ";
        return """
            SELECT json_extract('{}', %1$s)
             WHERE NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(%5$s) WHERE lower(name) = lower(%6$s));
            SELECT json_extract('{}', %2$s)
             WHERE (SELECT count(*) FROM (SELECT %3$s FROM %4$s WHERE 0 UNION SELECT 'a' UNION SELECT 'A' UNION SELECT 'a ')) < 3;
            SELECT json_extract('{}', %7$s)
              FROM pragma_table_xinfo(%5$s) WHERE lower(name) = lower(%6$s) AND type LIKE 'bool%%';
            """.formatted(
                        SqlName.literal(
                                unfit
                                        + "is none that the table declares, and rowids change at VACUUM; declare id INTEGER PRIMARY KEY"),
                        SqlName.literal(unfit + "has a collation that treats different texts as equal"),
                        column.sql(),
                        table.sql(),
                        SqlName.literal(table.last()),
                        SqlName.literal(column.last()),
                        SqlName.literal(unfit + "is declared as boolean, which SQLite keeps as a number"));
    }

    private static String nameOf(String row, String prefix, List<SqlName> key) {
        String text = key.size() == 1
                ? keyOf(row, key.get(0))
                : key.stream()
                        .map(column -> "replace(replace(" + keyOf(row, column) + ", '%', '%25'), '/', '%2F')")
                        .collect(Collectors.joining(" || '/' || "));
        return SqlName.literal(prefix) + " || " + text;
    }

    /**
     * The texts of {@code ResourceKey}. A real number that is whole is equal to an integer, which some columns take as well. Others are
     * told by 15 digits, since more depend on SQLite's version: where these are not the number, or have an exponent, the row has no name and is not
     * written.
     */
    private static String keyOf(String row, SqlName column) {
        return """
            CASE typeof(value) WHEN 'blob' THEN '0x' || lower(hex(value)) \
            WHEN 'real' THEN CASE WHEN value = CAST(value AS INTEGER) THEN CAST(CAST(value AS INTEGER) AS TEXT) \
            WHEN CAST(digits AS REAL) = value AND instr(digits, 'e') = 0 THEN digits END \
            ELSE CAST(value AS TEXT) END\
            """.replace("digits", "printf('%.15g', value)").replace("value", row + '.' + column.sql());
    }
}
