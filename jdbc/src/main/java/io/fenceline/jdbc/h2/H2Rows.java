package io.fenceline.jdbc.h2;

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

/** Reads rows of {@code fenceline_lock}, and writes keys as they are there. */
final class H2Rows {

    /**
     * The time at which it is asked, in milliseconds. {@code CURRENT_TIMESTAMP} is the time at which the statement began, which
     * may have waited for a row since. The first 48 bits of a UUID of version 7 are milliseconds since 1970 (RFC 9562).
     */
    static final String NOW = "CAST(X'0000' || SUBSTRING(CAST(RANDOM_UUID(7) AS VARBINARY) FROM 1 FOR 6) AS BIGINT)";

    private H2Rows() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(LockKey key) {
        return bytes(key.value());
    }

    /** Reads a row with its key and the column {@code now}. */
    static RunningLease lease(ResultSet row) throws SQLException {
        Grant grant = grant(LockKey.of(new String(row.getBytes("lock_key"), StandardCharsets.UTF_8)), row);
        Duration remaining = Duration.between(time(row, "now"), grant.expiresAt());
        return new RunningLease(grant, remaining.isNegative() ? Duration.ZERO : remaining);
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
        return Instant.ofEpochMilli(row.getLong(column));
    }
}
