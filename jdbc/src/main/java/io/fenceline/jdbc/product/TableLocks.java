package io.fenceline.jdbc.product;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Base of the lock statements: finds running leases by the statements {@code running} and {@code running_id}. */
public abstract class TableLocks implements LockStatements {

    /** Statements on keys in bytes that products have in common. Their own files have {@code now}, and what they differ in. */
    protected static final SqlFile COMMON = SqlFile.of(TableLocks.class, "table-lock-statements.sql");

    private final LockRows rows;
    private final Sql ofKey;
    private final Sql ofId;

    /** Creates the base. The statements name the store's tables. */
    protected TableLocks(LockRows rows, SqlFile sql) {
        this.rows = rows;
        this.ofKey = sql.sql("running");
        this.ofId = sql.sql("running_id");
    }

    @Override
    public final Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException {
        return ofKey.one(connection, rows::lease, rows.key(key));
    }

    @Override
    public final Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException {
        return ofId.one(connection, rows::lease, lockId.text());
    }
}
