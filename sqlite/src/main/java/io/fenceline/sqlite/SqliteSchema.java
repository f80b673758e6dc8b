package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sqlite.Sqlite;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tables of a lock store. The file itself says that it is one ({@code application_id}) and of which version. */
final class SqliteSchema {

    private static final int APPLICATION_ID = 0x46656e63;
    private static final int VERSION = 1;

    /** One statement, since another process may be installing the schema right now. */
    private static final String IDENTITY = """
            SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS objects
              FROM pragma_application_id, pragma_user_version""";

    private static final String OBJECTS = """
            SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL""";

    /** What stores of older builds lack. */
    private static final String ADDED = """
            SELECT count(*) FROM sqlite_schema WHERE name IN ('fenceline_fences', 'fenceline_waiter')""";

    private final SqliteErrors errors;

    SqliteSchema(Path path) {
        this.errors = SqliteErrors.ofWriting(path);
    }

    /** The statements that make the tables. */
    String script() {
        return resource("schema-" + VERSION + ".sql") + "\n" + added();
    }

    /** The statements that make what a store of an older build lacks. */
    private static String added() {
        return new Sqlite().fences().script("fences") + "\n" + resource("waiters-" + VERSION + ".sql");
    }

    private static String resource(String name) {
        try (InputStream script = SqliteSchema.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes what is missing. A store of an older build gets what it lacks. */
    void install(SqliteConnection writer) {
        if (!writer.alone(this::isComplete)) {
            writer.alone(statements -> statements.one("PRAGMA journal_mode = WAL", row -> row.getString(1)));
            writer.atomically(statements -> {
                // Asked again, now that no other process can be installing it.
                statements.run(version(statements) == 0 ? script() : added());
                return true;
            });
        }
    }

    /** Tells whether there is nothing in the file yet. A file of another program is refused. */
    boolean isFresh(PreparedStatements statements) throws SQLException {
        return version(statements) == 0;
    }

    boolean isComplete(PreparedStatements statements) throws SQLException {
        return version(statements) == VERSION
                && statements.one(ADDED, row -> row.getInt(1)).orElse(0) == 2;
    }

    /** Tells which version is there, 0 if nothing yet. Anything else is refused before it is touched. */
    private int version(PreparedStatements statements) throws SQLException {
        int version = statements.one(IDENTITY, this::version).orElseThrow();
        if (version > VERSION) {
            throw refused("its schema has version " + version + ", this Fenceline knows " + VERSION
                    + "; use a newer Fenceline");
        }
        return version;
    }

    private int version(ResultSet row) throws SQLException {
        int applicationId = row.getInt("application_id");
        boolean fresh = applicationId == 0 && row.getInt("objects") == 0;
        if (!fresh && applicationId != APPLICATION_ID) {
            throw refused("it is another program's database; name another file");
        }
        return row.getInt("user_version");
    }

    private BackendException refused(String whatAndRemedy) {
        return errors.error(ErrorCode.INTERNAL, Effect.NONE, whatAndRemedy, null);
    }

    /** Compares what was found with what the script makes: a line for each thing that is missing or different. */
    List<String> problems(Map<String, String> found) {
        List<String> problems = new ArrayList<>();
        expected().forEach((name, sql) -> {
            if (!found.containsKey(name)) {
                problems.add(name + " is missing");
            } else if (!sql.equals(found.get(name))) {
                problems.add(name + " is different; it should be: " + sql);
            }
        });
        return problems;
    }

    /** What the script makes in an empty database. */
    private Map<String, String> expected() {
        try (PreparedStatements statements =
                new PreparedStatements(DriverManager.getConnection("jdbc:sqlite::memory:"))) {
            statements.run(script());
            return objects(statements);
        } catch (SQLException e) {
            throw errors.translate(e);
        }
    }

    /** What is in a database, by name. */
    static Map<String, String> objects(PreparedStatements statements) throws SQLException {
        Map<String, String> objects = new TreeMap<>();
        statements.all(OBJECTS, row -> objects.put(row.getString(1), row.getString(2)));
        return objects;
    }
}
