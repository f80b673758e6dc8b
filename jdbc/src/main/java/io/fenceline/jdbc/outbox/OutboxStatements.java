package io.fenceline.jdbc.outbox;

import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The statements of an outbox on its table. None begins or ends a transaction. */
final class OutboxStatements {

    private final SqlFile sql;
    private final OutboxOptions options;

    OutboxStatements(SqlFile sql, OutboxOptions options) {
        this.sql = sql.with(new OutboxTable(options.table())::in);
        this.options = options;
    }

    /** Tells whether the message was inserted; not if its key is there. */
    boolean insert(Connection connection, OutboxMessage message) throws SQLException {
        return changes(
                connection,
                "insert",
                options.name(),
                message.resource(),
                message.stamp().key().value(),
                message.stamp().token().value(),
                message.idempotencyKey(),
                message.destination(),
                message.payload(),
                HeaderText.of(message.headers()));
    }

    Optional<OutboxEntry> find(Connection connection, String idempotencyKey) throws SQLException {
        return sql.sql("find").one(connection, OutboxRows::entry, options.name(), idempotencyKey);
    }

    List<OutboxEntry> ready(Connection connection, int limit, DeadMessagePolicy deadMessages) throws SQLException {
        AtomicLong bytes = new AtomicLong();
        return sql.sql("ready")
                .until(
                        connection,
                        OutboxRows::entry,
                        entry -> bytes.addAndGet(entry.message().size()) >= RelayOptions.BATCH_BYTES,
                        options.name(),
                        deadMessages == DeadMessagePolicy.WAIT,
                        limit,
                        RelayOptions.BATCH_BYTES);
    }

    boolean begin(Connection connection, OutboxEntry entry) throws SQLException {
        return changes(connection, "begin", entry.id(), entry.state().name());
    }

    void mark(Connection connection, DeliveryMark mark) throws SQLException {
        changes(
                connection,
                "mark",
                mark.entry().id(),
                mark.entry().state().name(),
                mark.state().name(),
                mark.pauseMillis(),
                mark.error(),
                mark.state().isSettled());
    }

    boolean retry(Connection connection, String idempotencyKey, String note) throws SQLException {
        return changes(connection, "retry", options.name(), idempotencyKey, note);
    }

    boolean skip(Connection connection, String idempotencyKey, String note) throws SQLException {
        return changes(connection, "skip", options.name(), idempotencyKey, note);
    }

    int purge(Connection connection, long olderThanMillis, int limit) throws SQLException {
        return sql.sql("purge").run(connection, options.name(), olderThanMillis, limit);
    }

    List<OutboxEntry> list(Connection connection, OutboxState state, int limit) throws SQLException {
        return sql.sql("list").all(connection, OutboxRows::entry, options.name(), state.name(), limit);
    }

    OutboxProgress progress(Connection connection) throws SQLException {
        return sql.sql("progress")
                .one(connection, OutboxRows::progress, options.name())
                .orElseThrow();
    }

    private boolean changes(Connection connection, String name, Object... values) throws SQLException {
        return sql.sql(name).run(connection, values) > 0;
    }
}
