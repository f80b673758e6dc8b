package io.fenceline.jdbc.product;

import io.fenceline.jdbc.sql.SqlErrors;
import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** A database product: all in which it differs from the others. Stateless; found by {@link Products}. */
public interface Product {

    /** Returns the name that its driver tells. */
    String name();

    /** Returns the meanings of its errors. */
    SqlErrors errors();

    /**
     * Tells whether what runs on a connection next would be part of a transaction that somebody else began. True also if that cannot be
     * told. Does not ask the database unless there is doubt.
     */
    boolean isInTransaction(Connection connection) throws SQLException;

    /** Tells whether what a statement changes or locks on a connection waits for a commit. */
    default boolean awaitsCommit(Connection connection) throws SQLException {
        return !connection.getAutoCommit() || isInTransaction(connection);
    }

    /** Tells whether its driver can limit how long an answer is waited for; true unless overridden. A pool may close a connection that cannot. */
    default boolean hasNetworkTimeout() {
        return true;
    }

    /** Returns its statements for fences. */
    FenceDialect fences();

    /** Returns what it has of its own for locks in a table; empty if locks are kept in another way. */
    default Optional<LockDialect> locks() {
        return Optional.empty();
    }

    /** Returns the statements of an outbox; empty if it has none. */
    default Optional<SqlFile> outbox() {
        return Optional.empty();
    }
}
