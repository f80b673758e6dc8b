package io.fenceline.jdbc.sqlserver;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.spi.Grant;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Reads rows of {@code fenceline_lock}, and writes keys as they are there. */
final class SqlServerRows {

    private SqlServerRows() {}

    static byte[] bytes(LockKey key) {
        return key.value().getBytes(StandardCharsets.UTF_8);
    }

    /** Reads a row with its key and the column {@code time_now}. */
    static RunningLease lease(ResultSet row) throws SQLException {
        try {
            Grant grant = new Grant(
                    LockKey.of(new String(row.getBytes("lock_key"), StandardCharsets.UTF_8)),
                    LockId.parse(row.getString("lock_id")),
                    Holder.of(row.getString("holder")),
                    FencingToken.of(row.getLong("fence")),
                    row.getInt("tokens"),
                    time(row, "acquired_at"),
                    time(row, "expires_at"));
            return new RunningLease(grant, Duration.between(time(row, "time_now"), grant.expiresAt()));
        } catch (IllegalArgumentException e) {
            throw new SQLException("the row of a lock was damaged: " + e.getMessage(), e);
        }
    }

    static Instant time(ResultSet row, String column) throws SQLException {
        return Instant.EPOCH.plus(row.getLong(column), ChronoUnit.MICROS);
    }
}
