package io.fenceline.jdbc.product;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * The operations of {@link io.fenceline.spi.LockBackend}, as statements on a connection that commits by itself: each is atomic,
 * goes by the database's clock, and leaves nothing behind on the connection.
 */
public interface LockStatements {

    /**
     * Takes a lock.
     *
     * @return whether it was granted
     */
    Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException;

    /**
     * Moves the end of a running lease.
     *
     * @return the new end, or empty if the id has no running lease of the key
     */
    Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis) throws SQLException;

    /**
     * Ends a running lease.
     *
     * @return whether it ran
     */
    boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException;

    /**
     * Sets the end of a running lease, sooner or later than it was.
     *
     * @return whether it ran
     */
    boolean releaseAfter(Connection connection, LockKey key, LockId lockId, long restMillis) throws SQLException;

    /**
     * Reads the running lease of a key.
     *
     * @return the lease, or empty if there is none
     */
    Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException;

    /**
     * Reads the running lease of a lock id.
     *
     * @return the lease, or empty if there is none
     */
    Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException;
}
