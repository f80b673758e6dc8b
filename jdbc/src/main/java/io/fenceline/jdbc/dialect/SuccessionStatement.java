package io.fenceline.jdbc.dialect;

import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Succession;
import java.sql.Connection;
import java.sql.SQLException;

/** What {@link Succession} promises, as a statement on a connection that commits by itself. */
@FunctionalInterface
public interface SuccessionStatement {

    /**
     * Ends a running lease and takes the lock.
     *
     * @param connection where
     * @param last the id whose lease ends
     * @param next the request that follows
     * @param yielding whether others who wait shall have the lock first
     * @param listener who of those that listen for releases is of this process, by {@link WaiterSignals#listener}
     * @return whether a lease ended, and whether the lock was granted
     * @throws SQLException if the database refuses or does not answer
     */
    Succession.Turnover succeed(Connection connection, LockId last, AcquireRequest next, boolean yielding, int listener)
            throws SQLException;
}
