package io.fenceline.jdbc.mariadb;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.catalog.TableLockCatalog;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand. Every change is one call, whose change and record are one transaction. */
final class MariaDbCatalog extends TableLockCatalog {

    /** No byte of a key is 255, so keys that begin with the prefix are all those between. */
    private static final String LIST = """
            SELECT held.*, %1$s AS now
              FROM fenceline_lock AS held
             WHERE held.lock_key >= ?1 AND held.lock_key < CONCAT(?1, X'FF')
               AND held.lock_id IS NOT NULL AND held.expires_at > %1$s
             ORDER BY held.lock_key LIMIT ?2""".formatted(MariaDbLocks.NOW);

    private static final String RAISE = "CALL fenceline_lock_raise(?1, ?2, ?3, ?4)";
    private static final String FORCE_RELEASE = "CALL fenceline_lock_end(?1, ?2, ?3)";

    private final long patienceSeconds;

    MariaDbCatalog(LockStore store) {
        super(store, MariaDbLocks.ROWS, LIST);
        this.patienceSeconds = MariaDbLocks.patienceSeconds(store);
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        return call(
                        RAISE,
                        connection,
                        TableLockCatalog::token,
                        MariaDbLocks.ROWS.key(key),
                        atLeast.value(),
                        by.text(),
                        patienceSeconds)
                .orElseThrow();
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        return call(
                FORCE_RELEASE,
                connection,
                row -> new Ended(MariaDbLocks.ROWS.lease(row), row.getBoolean("has_ended")),
                MariaDbLocks.ROWS.key(key),
                by.text(),
                patienceSeconds);
    }

    /** A call that is killed does not come to its own rollback; what it began must not stay on a connection that is shared. */
    private <T> Optional<T> call(String text, Connection connection, RowReader<T> reader, Object... values)
            throws SQLException {
        try {
            return sql(text).one(connection, reader, values);
        } catch (SQLException e) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("ROLLBACK");
            } catch (SQLException broken) {
                e.addSuppressed(broken);
            }
            throw e;
        }
    }
}
