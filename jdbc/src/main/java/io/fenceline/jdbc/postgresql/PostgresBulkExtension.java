package io.fenceline.jdbc.postgresql;

import io.fenceline.Effect;
import io.fenceline.LockId;
import io.fenceline.jdbc.product.BulkExtensionStatement;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.sql.SqlErrors;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.BulkExtension.Answer;
import io.fenceline.spi.BulkExtension.Extension;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Extends many leases in one statement. It passes over rows that somebody else has locked; these and those of leases that are over are asked for
 * once more, and waited for briefly: the answer of all must not be late for one row that stays locked. If one does, those of the second
 * statement fail, as single extensions would.
 */
final class PostgresBulkExtension implements BulkExtensionStatement {

    /** Longer than another statement of ours has a row locked, as a rule, and much shorter than a lease. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    /** The SQLSTATE after {@code lock_timeout}. */
    private static final String ROW_STAYS_LOCKED = "55P03";

    private final PostgresStatement free;
    private final PostgresStatement all;
    private final PostgresStatement stored;
    private final String lockTimeout;
    private final SqlErrors errors;

    PostgresBulkExtension(LockStore store, SqlErrors errors) {
        SqlFile sql = PostgresLocks.SQL.with(store.table()::in);
        this.free = new PostgresStatement(sql, "extend_all_free");
        this.all = new PostgresStatement(sql, "extend_all");
        this.stored = new PostgresStatement(sql, "stored_of_asked");
        this.lockTimeout = store.lockTimeout(LONGEST_WAIT);
        this.errors = errors;
    }

    @Override
    public List<Answer> extendAll(Connection connection, List<Extension> extensions) throws SQLException {
        Map<LockId, Answer> answers = new HashMap<>();
        extend(connection, free, extensions, answers);
        List<Extension> rest = extensions.stream()
                .filter(extension -> !answers.containsKey(extension.lockId()))
                .toList();
        try {
            extendRest(connection, rest, answers);
        } catch (SQLException e) {
            throw answers.isEmpty() ? e : partly(e);
        }
        return extensions.stream()
                .map(extension -> answers.getOrDefault(extension.lockId(), Answer.of(Optional.empty())))
                .toList();
    }

    /** Extends leases whose rows were locked. Leaves those that are over without an answer. */
    private void extendRest(Connection connection, List<Extension> rest, Map<LockId, Answer> answers)
            throws SQLException {
        if (rest.isEmpty()) {
            return;
        }
        try {
            extend(connection, all, rest, answers);
        } catch (SQLException e) {
            if (!ROW_STAYS_LOCKED.equals(e.getSQLState())) {
                throw e;
            }
            Answer failed = Answer.failed(errors.failed(e, Effect.NONE));
            stored.all(connection, row -> answers.put(LockId.parse(row.getString("lock_id")), failed), (Object[])
                    names(rest));
        }
    }

    /** As a cause, the error would tell that nothing was changed. */
    private static SQLException partly(SQLException e) {
        SQLException partly = new SQLException("some leases were extended; then: " + e.getMessage(), e.getSQLState());
        partly.addSuppressed(e);
        return partly;
    }

    private void extend(
            Connection connection, PostgresStatement statement, List<Extension> extensions, Map<LockId, Answer> answers)
            throws SQLException {
        String[][] names = names(extensions);
        long[] millis = extensions.stream()
                .mapToLong(extension -> AcquireRequest.millisRoundedUp(extension.ttl()))
                .toArray();
        statement.all(
                connection,
                row -> answers.put(
                        LockId.parse(row.getString("lock_id")),
                        Answer.of(Optional.of(PostgresLocks.ROWS.time(row, "expires_at")))),
                names[0],
                names[1],
                millis,
                lockTimeout);
    }

    /** Returns the keys, and the lock ids. */
    private static String[][] names(List<Extension> extensions) {
        return new String[][] {
            extensions.stream().map(extension -> extension.key().value()).toArray(String[]::new),
            extensions.stream().map(extension -> extension.lockId().text()).toArray(String[]::new)
        };
    }
}
