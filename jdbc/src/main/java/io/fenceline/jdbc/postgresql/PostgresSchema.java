package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.LockDialect;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.ScriptSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The tables and functions of a lock store. A table that is there and differs stays as it is. What is missing is made where the table of the
 * locks is found, whatever schema comes first for the role. Locking works without them, so their absence is no problem of the schema.
 */
final class PostgresSchema extends ScriptSchema {

    private static final String LOOK_FIRST_IN =
            "SELECT set_config('search_path', '%s, ' || current_setting('search_path'), true);%n";

    private final LockDialect dialect;
    private final SchemaFunctions functions;

    PostgresSchema(LockStore store, LockDialect dialect) {
        super(store.database(), dialect, dialect.script(store.table()));
        this.dialect = dialect;
        this.functions = SchemaFunctions.beside(store.table());
    }

    @Override
    protected boolean isMendable(String problem) {
        return problem.endsWith(" is missing");
    }

    @Override
    protected boolean isOutdated(Connection connection) throws SQLException {
        return functions.find(connection).stream().anyMatch(found -> !found.isThere() && found.canBeMade());
    }

    @Override
    protected void install(Connection connection) throws SQLException {
        boolean tablesToo = problems(connection).stream().anyMatch(this::isMendable);
        String home = functions.find(connection).stream()
                .findFirst()
                .map(found -> LOOK_FIRST_IN.formatted(found.home().replace("'", "''")))
                .orElse("");
        try (Statement statement = connection.createStatement()) {
            statement.execute(dialect.schemaPreamble() + home + (tablesToo ? schemaScript() : functions.script()));
        }
    }
}
