package io.fenceline.jdbc.outbox;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads rows, in which times are milliseconds. */
final class OutboxRows {

    private OutboxRows() {}

    static OutboxEntry entry(ResultSet row) throws SQLException {
        OutboxMessage message = OutboxMessage.of(
                        row.getString("resource"),
                        new FenceStamp(LockKey.of(row.getString("lock_key")), FencingToken.of(row.getLong("fence"))),
                        row.getString("idempotency_key"),
                        row.getString("destination"),
                        row.getBytes("payload"))
                .withHeaders(HeaderText.read(row.getString("headers")));
        return new OutboxEntry(
                row.getLong("id"),
                message,
                OutboxState.valueOf(row.getString("state")),
                row.getInt("attempts"),
                row.getInt("compensations"),
                Instant.ofEpochMilli(row.getLong("added_ms")),
                Instant.ofEpochMilli(row.getLong("next_attempt_ms")),
                row.getString("last_error"));
    }

    static OutboxProgress progress(ResultSet row) throws SQLException {
        long oldestMillis = row.getLong("oldest_ms");
        Optional<Duration> oldest =
                row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, oldestMillis)));
        return new OutboxProgress(row.getLong("pending"), row.getLong("compensating"), row.getLong("dead"), oldest);
    }
}
