package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.GuardScripts;
import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.jdbc.sqlite.Sqlite;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The tables of a lock store. A file says that it is one ({@code application_id}), and of which version. */
final class SqliteSchema {

    private static final int APPLICATION_ID = 0x46656e63;
    private static final int VERSION = 1;

    /** One statement, since another process may be installing the schema right now. */
    private static final String IDENTITY = """
            SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS objects
              FROM pragma_application_id, pragma_user_version""";

    /** Tables that stores of older builds lack. */
    private static final String ADDED = """
            SELECT count(*) FROM sqlite_schema WHERE name IN ('fenceline_fences', 'fenceline_waiter')""";

    private final SqliteErrors errors;

    SqliteSchema(Path path) {
        this.errors = SqliteErrors.ofWriting(path);
    }

    /** The statements that create the tables. */
    static String script() {
        return ScriptFiles.read(SqliteSchema.class, "schema-" + VERSION + ".sql") + "\n" + added();
    }

    /** The statements that create what a store of an older build lacks. */
    private static String added() {
        return fences().script("fences") + "\n" + ScriptFiles.read(SqliteSchema.class, "waiters-" + VERSION + ".sql");
    }

    /** The statements that create also what guards keep besides fences. */
    static String scriptWithGuards() {
        return script() + "\n" + GuardScripts.beyondFences(new Sqlite());
    }

    /** Not a constant: few commands need it, and it reads files. */
    private static FenceDialect fences() {
        return new Sqlite().fences();
    }

    /** Creates what is missing. A store of an older build gets what it lacks. */
    void install(SqliteConnection writer) {
        if (!writer.run(this::isComplete)) {
            writer.run(PreparedStatements::useWriteAheadLog);
            writer.inTransaction(statements -> {
                // Asked again, now that no other process can be installing it.
                statements.run(version(statements) == 0 ? script() : added());
                return true;
            });
        }
    }

    /** Returns whether there is nothing in the file yet. Refuses a file of another program. */
    boolean isFresh(PreparedStatements statements) throws SQLException {
        return version(statements) == 0;
    }

    boolean isComplete(PreparedStatements statements) throws SQLException {
        return version(statements) == VERSION
                && statements.one(ADDED, row -> row.getInt(1)).orElse(0) == 2;
    }

    /** Returns the version, 0 if there is nothing yet. Refuses anything else before it is touched. */
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
            throw refused(
                    "it is another program's database, where this store keeps nothing; name another file. Fences and"
                            + " triggers of that program are in its own tables: run what 'fenceline guard ddl' prints, and read"
                            + " fenceline_fences by SQL");
        }
        return row.getInt("user_version");
    }

    private BackendException refused(String whatAndRemedy) {
        return errors.error(ErrorCode.MISCONFIGURED, Effect.NONE, whatAndRemedy, null);
    }

    /** Compares a database with the script. Returns a line for each table, index or trigger that is missing or different. */
    List<String> problems(Connection connection) throws SQLException {
        return fences().problems(connection, script());
    }

    /** Returns the problems of a file that does not exist yet. */
    List<String> problemsWithoutFile() {
        try (Connection empty = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            return problems(empty);
        } catch (SQLException e) {
            throw errors.translate(e);
        }
    }
}
