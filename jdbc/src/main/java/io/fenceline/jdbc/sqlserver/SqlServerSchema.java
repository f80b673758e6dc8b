package io.fenceline.jdbc.sqlserver;

import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.SchemaControl;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables of a lock store. */
final class SqlServerSchema implements SchemaControl {

    private static final int VERSION = 1;

    private static final List<String> LOCK_COLUMNS =
            List.of("lock_key", "last_fence", "fence", "tokens", "lock_id", "holder", "acquired_at", "expires_at");
    private static final List<String> AUDIT_COLUMNS =
            List.of("at", "actor", "act", "lock_key", "fence_before", "fence_after");

    private static final Sql FOUND = new Sql("""
            SELECT LOWER(TABLE_NAME), LOWER(COLUMN_NAME)
              FROM INFORMATION_SCHEMA.COLUMNS
             WHERE LOWER(TABLE_NAME) IN (?1, ?2)""");

    private final Database database;
    private final LockTable table;

    SqlServerSchema(Database database, LockTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = SqlServerSchema.class.getResourceAsStream("schema-" + VERSION + ".sql")) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return table.in(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@inheritDoc} A user that may not create anything can call it where nothing is missing. */
    @Override
    public void installSchema() {
        if (schemaProblems().isEmpty()) {
            return;
        }
        database.change(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(schemaScript());
            }
        });
    }

    /** {@inheritDoc} Names only; types are not compared. */
    @Override
    public List<String> schemaProblems() {
        String locks = bare(table.name());
        String audit = bare(table.in("fenceline_lock_audit"));
        Set<String> found = Set.copyOf(database.read(
                connection -> FOUND.all(connection, row -> row.getString(1) + "." + row.getString(2), locks, audit)));
        Set<String> missing = Stream.concat(
                        LOCK_COLUMNS.stream().map(name -> locks + "." + name),
                        AUDIT_COLUMNS.stream().map(name -> audit + "." + name))
                .filter(name -> !found.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> problems = new ArrayList<>();
        for (String name : List.of(locks, audit)) {
            if (found.stream().noneMatch(what -> what.startsWith(name + "."))) {
                problems.add("table " + name + " is missing");
                missing.removeIf(what -> what.startsWith(name + "."));
            }
        }
        missing.forEach(what -> problems.add("column " + what + " is missing"));
        return problems;
    }

    private static String bare(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
