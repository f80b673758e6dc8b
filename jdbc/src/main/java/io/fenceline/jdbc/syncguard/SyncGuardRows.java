package io.fenceline.jdbc.syncguard;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.RunningLease;
import io.fenceline.spi.AcquireRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/** Reads rows of SyncGuard's table of locks. By column name: the table may have more columns than we know. */
final class SyncGuardRows {

    /** SyncGuard has no column for holders. */
    private static final Holder UNKNOWN = Holder.of("unknown");

    private SyncGuardRows() {}

    /** Reads a row with the column {@code remaining_ms}. The length of a block of tokens is not kept, so it is told as 1. */
    static RunningLease lease(ResultSet row) throws SQLException {
        try {
            Grant grant = new Grant(
                    LockKey.of(row.getString("user_key")),
                    LockId.parse(row.getString("lock_id")),
                    UNKNOWN,
                    capped(Long.parseLong(row.getString("fence"))),
                    1,
                    time(row, "acquired_at_ms"),
                    time(row, "expires_at_ms"));
            return new RunningLease(grant, Duration.ofMillis(row.getLong("remaining_ms")));
        } catch (IllegalArgumentException e) {
            throw damaged(e);
        }
    }

    /** Reads the row of the one who asks, who knows what is not kept. */
    static Grant grant(AcquireRequest request, ResultSet row) throws SQLException {
        try {
            return new Grant(
                    request.key(),
                    request.lockId(),
                    request.holder(),
                    token(row),
                    tokens(request, row),
                    time(row, "acquired_at_ms"),
                    time(row, "expires_at_ms"));
        } catch (IllegalArgumentException e) {
            throw damaged(e);
        }
    }

    /**
     * Returns how many tokens a grant has. Before a grant the counter is below its token. While its lease runs the counter is at its last token, or
     * above if it was raised by hand: nobody else gets those in between.
     */
    private static int tokens(AcquireRequest request, ResultSet row) throws SQLException {
        long standing = row.getLong("last_fence") - token(row).value() + 1;
        return standing < 1 ? request.tokens() : (int) Math.min(standing, Integer.MAX_VALUE);
    }

    /** Returns the token of a counter; one beyond the greatest token, set by hand, counts as used up. */
    static FencingToken capped(long value) {
        return FencingToken.of(Math.min(value, FencingToken.MAX_VALUE));
    }

    private static FencingToken token(ResultSet row) throws SQLException {
        return FencingToken.parse(row.getString("fence"));
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        return Instant.ofEpochMilli(row.getLong(column));
    }

    private static SQLException damaged(IllegalArgumentException e) {
        return new SQLException("the row of a lock was damaged: " + e.getMessage(), e);
    }
}
