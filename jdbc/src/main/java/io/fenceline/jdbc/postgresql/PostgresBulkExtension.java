package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.jdbc.product.BulkExtensionStatement;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.sql.RowConflict;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.BulkExtension.Extension;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Extends many leases in one statement. It passes over rows that somebody else has locked; these and those of leases that are over are asked for
 * once more, and waited for briefly: the answer of all must not be late for one row that stays locked. Then the call fails, and the engine
 * renews each lease by itself.
 */
final class PostgresBulkExtension implements BulkExtensionStatement {

    /** Longer than another statement of ours has a row locked, as a rule, and much shorter than a lease. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final Sql free;
    private final Sql all;
    private final String lockTimeout;

    PostgresBulkExtension(LockStore store) {
        SqlFile sql = PostgresLocks.SQL.with(store.table()::in);
        this.free = sql.sql("extend_all_free");
        this.all = sql.sql("extend_all");
        this.lockTimeout = store.lockTimeout(LONGEST_WAIT);
    }

    @Override
    public List<Optional<Instant>> extendAll(Connection connection, List<Extension> extensions) throws SQLException {
        Map<LockId, Instant> ends = new HashMap<>();
        extend(connection, free, extensions, ends);
        List<Extension> rest = extensions.stream()
                .filter(extension -> !ends.containsKey(extension.lockId()))
                .toList();
        if (!rest.isEmpty()) {
            try {
                extend(connection, all, rest, ends);
            } catch (SQLException e) {
                throw ends.isEmpty() ? e : partly(e);
            }
        }
        return extensions.stream()
                .map(extension -> Optional.ofNullable(ends.get(extension.lockId())))
                .toList();
    }

    /** As a cause, the error would tell that nothing was changed. */
    private static SQLException partly(SQLException e) {
        SQLException partly = new SQLException("some leases were extended; then: " + e.getMessage(), e.getSQLState());
        partly.addSuppressed(e);
        return partly;
    }

    private void extend(Connection connection, Sql statement, List<Extension> extensions, Map<LockId, Instant> ends)
            throws SQLException {
        Object[] values = {
            extensions.stream().map(extension -> extension.key().value()).toArray(String[]::new),
            extensions.stream().map(extension -> extension.lockId().text()).toArray(String[]::new),
            extensions.stream()
                    .mapToLong(extension -> AcquireRequest.millisRoundedUp(extension.ttl()))
                    .toArray(),
            lockTimeout
        };
        RowConflict.retried(connection, PostgresLocks::isConflict, same -> {
            statement.all(
                    same,
                    row -> ends.put(LockId.parse(row.getString("lock_id")), PostgresLocks.ROWS.time(row, "expires_at")),
                    values);
            return true;
        });
    }
}
