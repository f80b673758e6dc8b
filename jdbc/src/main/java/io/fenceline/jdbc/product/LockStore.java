package io.fenceline.jdbc.product;

import io.fenceline.Redaction;
import java.time.Duration;

/**
 * The database and the table of the locks.
 *
 * @param answerLimit how long the database may take to answer
 * @param redaction how keys and lock ids are hidden
 */
public record LockStore(Database database, LockTable table, Duration answerLimit, Redaction redaction) {

    /** MariaDB cannot wait for a shorter time. */
    private static final Duration SHORTEST_EXTENSION = Duration.ofSeconds(1);

    /** Returns the same store, whose tables are made before the first change. */
    public LockStore making(TablesOnDemand tables) {
        return new LockStore(database.making(tables), table, answerLimit, redaction);
    }

    /** Returns the same store, for a data source of our own; see {@link Database#onPlatformThreads}. */
    public LockStore onPlatformThreads() {
        return new LockStore(database.onPlatformThreads(), table, answerLimit, redaction);
    }

    /**
     * Returns how long a statement may wait for another's lock on a row: a little less than for its answer, so that the
     * database gives up first and says so.
     *
     * @return whole milliseconds, as settings have them
     */
    public String lockTimeout() {
        return lockTimeout(answerLimit);
    }

    /**
     * Returns the same for an attempt.
     *
     * @param timeout how long its caller waits, as in {@link io.fenceline.spi.AcquireRequest#timeout}
     * @return whole milliseconds, as settings have them
     */
    public String lockTimeout(Duration timeout) {
        return Math.max(1, limit(timeout).toMillis() * 4 / 5) + "ms";
    }

    /**
     * Returns how long an extension may take where it waits for another's lock on a row: a twentieth of the ttl. It is repeated while the lease lasts,
     * and one that waits keeps a connection from the extensions of other leases.
     */
    public Duration extensionLimit(long ttlMillis) {
        Duration limit = Duration.ofMillis(ttlMillis / 20);
        return limit(limit.compareTo(SHORTEST_EXTENSION) < 0 ? SHORTEST_EXTENSION : limit);
    }

    /** Returns how long the database may take to answer an attempt. */
    public Duration limit(Duration timeout) {
        return timeout.compareTo(answerLimit) < 0 ? timeout : answerLimit;
    }
}
