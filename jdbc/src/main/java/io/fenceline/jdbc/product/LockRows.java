package io.fenceline.jdbc.product;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads rows of {@code fenceline_lock}, and writes keys as they are there: as text, or as bytes in UTF-8. */
public final class LockRows {

    private final boolean bytes;
    private final TimeReader times;

    /** Reads a time as a product keeps it. */
    @FunctionalInterface
    public interface TimeReader {

        /** Reads a column. */
        Instant read(ResultSet row, String column) throws SQLException;
    }

    private LockRows(boolean bytes, TimeReader times) {
        this.bytes = bytes;
        this.times = times;
    }

    /** Returns the reader of a table whose keys are text. */
    public static LockRows ofText(TimeReader times) {
        return new LockRows(false, times);
    }

    /** Returns the reader of a table whose keys are bytes. */
    public static LockRows ofBytes(TimeReader times) {
        return new LockRows(true, times);
    }

    /** Returns a key, or the beginning of one, as a value of a statement. */
    public Object key(String text) {
        return bytes ? text.getBytes(StandardCharsets.UTF_8) : text;
    }

    /** Returns a key as a value of a statement. */
    public Object key(LockKey key) {
        return key(key.value());
    }

    /**
     * Reads a lease.
     *
     * @param row a row with its key and the column {@code now}
     */
    public RunningLease lease(ResultSet row) throws SQLException {
        return lease(key(row), row);
    }

    /** Reads the key of a row. */
    public LockKey key(ResultSet row) throws SQLException {
        String key = bytes ? new String(row.getBytes("lock_key"), StandardCharsets.UTF_8) : row.getString("lock_key");
        try {
            return LockKey.of(key);
        } catch (IllegalArgumentException e) {
            throw damaged(e);
        }
    }

    /**
     * Reads a lease.
     *
     * @param row a row with the column {@code now}
     */
    public RunningLease lease(LockKey key, ResultSet row) throws SQLException {
        Grant grant = grant(key, row);
        Duration remaining = Duration.between(times.read(row, "now"), grant.expiresAt());
        return new RunningLease(grant, remaining.isNegative() ? Duration.ZERO : remaining);
    }

    /** Reads what was granted. */
    public Grant grant(LockKey key, ResultSet row) throws SQLException {
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
            throw damaged(e);
        }
    }

    private static SQLException damaged(IllegalArgumentException e) {
        return new SQLException("the row of a lock was damaged: " + e.getMessage(), e);
    }

    /** Reads a time. */
    public Instant time(ResultSet row, String column) throws SQLException {
        return times.read(row, column);
    }

    /**
     * Answers a request for a key whose lease runs.
     *
     * @return the grant if the request made it, else a refusal
     */
    public static Acquisition answer(AcquireRequest request, RunningLease lease) {
        return lease.grant().lockId().equals(request.lockId())
                ? new Granted(lease.grant())
                : new Contended(lease.remaining(), Optional.of(lease.grant().holder()));
    }
}
