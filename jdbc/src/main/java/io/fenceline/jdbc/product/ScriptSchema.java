package io.fenceline.jdbc.product;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables that a script makes. */
public class ScriptSchema implements StoreSchema {

    /** Where they are. */
    protected final Database database;

    private final LockDialect dialect;
    private final String script;

    /** Creates the schema. The tables are compared with the script. */
    public ScriptSchema(Database database, LockDialect dialect, String script) {
        this.database = database;
        this.dialect = dialect;
        this.script = script;
    }

    @Override
    public final String schemaScript() {
        return script;
    }

    @Override
    public final boolean isComplete() {
        database.read(connection -> {
            dialect.tables().ensureOurs(connection, script);
            return true;
        });
        return schemaProblems().stream().noneMatch(this::isMendable) && !database.read(this::isOutdated);
    }

    @Override
    public final void installSchema() {
        if (isComplete()) {
            return;
        }
        ensureMayInstall();
        database.change(connection -> {
            install(connection);
            return true;
        });
    }

    /** Tells whether the script mends a problem; true unless overridden. */
    protected boolean isMendable(String problem) {
        return true;
    }

    /** Tells whether something can be made that the store does without; nothing unless overridden. */
    protected boolean isOutdated(Connection connection) throws SQLException {
        return false;
    }

    /** Refuses to make anything, by an exception, if something speaks against it. */
    protected void ensureMayInstall() {}

    /** Makes what is missing; runs the script unless overridden. */
    protected void install(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(dialect.schemaPreamble() + script);
        }
    }

    @Override
    public final List<String> schemaProblems() {
        return database.read(this::problems);
    }

    /** Returns a line for each thing that is missing or different. */
    protected List<String> problems(Connection connection) throws SQLException {
        return dialect.tables().problems(connection, script);
    }
}
