package io.fenceline.jdbc;

import io.fenceline.Redaction;
import io.fenceline.jdbc.product.LockTable;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Options of a {@link JdbcLockBackend}.
 *
 * @param schema the tables with the locks. All who are to keep each other out name the same
 * @param answerLimit how long the database may take to answer a statement before the call fails with {@link
 *     io.fenceline.ErrorCode#NETWORK_TIMEOUT}. How long the data source may take to give a connection is its own setting as well
 * @param signals whether waiters are told of releases, where the database can do that; else they poll
 * @param signalSource gives the connection for signals; if empty, the same data source that gives the others
 * @param redaction how keys and lock ids are hidden in {@link io.fenceline.LockRecord}s
 */
public record JdbcOptions(
        LockSchema schema,
        Duration answerLimit,
        boolean signals,
        Optional<DataSource> signalSource,
        Redaction redaction) {

    /**
     * Checks the limit.
     *
     * @throws IllegalArgumentException if the limit is below a millisecond
     */
    public JdbcOptions {
        if (answerLimit.toMillis() < 1) {
            throw new IllegalArgumentException("answerLimit is " + answerLimit + ", at least a millisecond is needed");
        }
    }

    /**
     * Returns the table {@code fenceline_lock}, a limit of 10 seconds, signals, and hashes that can be compared within one backend's
     * life.
     *
     * @return the options to start from
     */
    public static JdbcOptions defaults() {
        return new JdbcOptions(
                LockSchema.fenceline(LockTable.DEFAULT_NAME),
                Duration.ofSeconds(10),
                true,
                Optional.empty(),
                Redaction.withRandomSecret());
    }

    /**
     * Returns these options with another table.
     *
     * @param newTable lower-case letters, digits and underscores, perhaps after a schema and a dot
     * @return a copy
     * @throws IllegalArgumentException if it is anything else
     */
    public JdbcOptions withTable(String newTable) {
        return withSchema(LockSchema.fenceline(newTable));
    }

    /**
     * Returns these options with other tables.
     *
     * @param newSchema the tables, for instance those that are shared with SyncGuard
     * @return a copy
     */
    public JdbcOptions withSchema(LockSchema newSchema) {
        return new JdbcOptions(newSchema, answerLimit, signals, signalSource, redaction);
    }

    /**
     * Returns these options with another limit.
     *
     * @param newLimit how long the database may take to answer a statement
     * @return a copy
     */
    public JdbcOptions withAnswerLimit(Duration newLimit) {
        return new JdbcOptions(schema, newLimit, signals, signalSource, redaction);
    }

    /**
     * Returns these options with other hashes.
     *
     * @param newRedaction how keys and lock ids are hidden
     * @return a copy
     */
    public JdbcOptions withRedaction(Redaction newRedaction) {
        return new JdbcOptions(schema, answerLimit, signals, signalSource, newRedaction);
    }

    /**
     * Returns these options with a data source for signals. Needed behind a transaction-mode pooler, which shares connections
     * between clients: this one must go past it. One connection of it is used, and only while somebody waits.
     *
     * @param source gives direct connections; never closed by the backend
     * @return a copy
     */
    public JdbcOptions withSignalsFrom(DataSource source) {
        return new JdbcOptions(schema, answerLimit, true, Optional.of(source), redaction);
    }

    /**
     * Returns these options without signals: waiters poll, and no connection is kept. For a pool of very few connections, and
     * behind a pooler that cannot be gone past.
     *
     * @return a copy
     */
    public JdbcOptions withoutSignals() {
        return new JdbcOptions(schema, answerLimit, false, Optional.empty(), redaction);
    }
}
