package io.fenceline.jdbc.mariadb;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.TableLockCatalog;
import io.fenceline.jdbc.sql.RowConflict;
import io.fenceline.jdbc.sql.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand. Every change is one call, whose change and record are one transaction. */
final class MariaDbCatalog extends TableLockCatalog {

    private final long lockTimeoutSeconds;

    MariaDbCatalog(LockStore store) {
        super(store, MariaDbLocks.ROWS, MariaDbLocks.SQL);
        this.lockTimeoutSeconds = MariaDbLocks.lockTimeoutSeconds(store);
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        return call(
                        "raise",
                        connection,
                        TableLockCatalog::token,
                        MariaDbLocks.ROWS.key(key),
                        atLeast.value(),
                        by.text(),
                        lockTimeoutSeconds)
                .orElseThrow();
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        return call(
                "force_release",
                connection,
                row -> new Ended(MariaDbLocks.ROWS.lease(row), row.getBoolean("has_ended")),
                MariaDbLocks.ROWS.key(key),
                by.text(),
                lockTimeoutSeconds);
    }

    /** A call that is killed does not come to its own rollback; what it began must not stay on a connection that is shared. */
    private <T> Optional<T> call(String name, Connection connection, RowReader<T> reader, Object... values)
            throws SQLException {
        try {
            return RowConflict.retried(
                    connection, MariaDbErrors::isConflict, same -> sql(name).one(same, reader, values));
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
