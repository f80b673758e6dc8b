package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.spi.Grant;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

/** Reads rows of {@code fenceline_lock}. */
final class PostgresRows {

    private PostgresRows() {}

    /** Reads a row with its key and the column {@code now}. */
    static RunningLease lease(ResultSet row) throws SQLException {
        return lease(LockKey.of(row.getString("lock_key")), row);
    }

    /** Reads a row without its key and the column {@code now}. */
    static RunningLease lease(LockKey key, ResultSet row) throws SQLException {
        Grant grant = grant(key, row);
        return new RunningLease(grant, Duration.between(time(row, "now"), grant.expiresAt()));
    }

    static Grant grant(LockKey key, ResultSet row) throws SQLException {
        try {
            return new Grant(
                    key,
                    LockId.parse(row.getString("lock_id")),
                    Holder.of(row.getString("holder")),
                    FencingToken.of(row.getLong("fence")),
                    row.getInt("tokens"),
                    time(row, "acquired_at"),
                    time(row, "expires_at"));
        } catch (IllegalArgumentException e) {
            throw new SQLException("the row of a lock was damaged: " + e.getMessage(), e);
        }
    }

    static Instant time(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
