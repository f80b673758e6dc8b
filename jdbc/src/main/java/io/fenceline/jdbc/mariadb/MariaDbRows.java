package io.fenceline.jdbc.mariadb;

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
final class MariaDbRows {

    /** The server's time in microseconds, as the schema explains it. */
    static final String NOW = """
            (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) \
            + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000)""";

    private MariaDbRows() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(LockKey key) {
        return bytes(key.value());
    }

    /** Reads a row with its key and the column {@code now}. */
    static RunningLease lease(ResultSet row) throws SQLException {
        return lease(LockKey.of(new String(row.getBytes("lock_key"), StandardCharsets.UTF_8)), row);
    }

    /** Reads a row without its key and with the column {@code now}. */
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
        return Instant.EPOCH.plus(row.getLong(column), ChronoUnit.MICROS);
    }
}
