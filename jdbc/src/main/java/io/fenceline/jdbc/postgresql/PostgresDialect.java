package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.SqlErrors;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** PostgreSQL through its own driver, from version 13 on. */
public final class PostgresDialect implements Dialect {

    private final PostgresErrors errors = new PostgresErrors();

    /** Creates the dialect. */
    public PostgresDialect() {}

    @Override
    public String product() {
        return "PostgreSQL";
    }

    @Override
    public SqlErrors errors() {
        return errors;
    }

    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE
                : !connection.getAutoCommit();
    }

    @Override
    public LockStatements locks(LockStore store) {
        return new PostgresLocks(store.table(), store.answerLimit());
    }

    @Override
    public SchemaControl schema(LockStore store) {
        return new PostgresSchema(store.database(), store.table());
    }
}
