package io.fenceline.jdbc.dialect;

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
     * @param connection where
     * @param request who asks for what
     * @return whether it was granted
     * @throws SQLException if the database refuses or does not answer
     */
    Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException;

    /**
     * Moves the end of a running lease.
     *
     * @param connection where
     * @param key the lock
     * @param lockId the id that holds it
     * @param ttlMillis the time from now on
     * @return the new end, or empty if the id has no running lease of the key
     * @throws SQLException if the database refuses or does not answer
     */
    Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis) throws SQLException;

    /**
     * Ends a running lease.
     *
     * @param connection where
     * @param key the lock
     * @param lockId the id that holds it
     * @return whether it ran
     * @throws SQLException if the database refuses or does not answer
     */
    boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException;

    /**
     * Reads the running lease of a key.
     *
     * @param connection where
     * @param key the lock
     * @return the lease, or empty if there is none
     * @throws SQLException if the database refuses or does not answer
     */
    Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException;

    /**
     * Reads the running lease of a lock id.
     *
     * @param connection where
     * @param lockId the id
     * @return the lease, or empty if there is none
     * @throws SQLException if the database refuses or does not answer
     */
    Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException;
}
