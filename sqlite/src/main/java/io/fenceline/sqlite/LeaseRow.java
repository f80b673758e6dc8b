package io.fenceline.sqlite;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/**
 * A lease that runs.
 *
 * @param grant what was granted
 * @param remaining how long it runs on
 */
record LeaseRow(Grant grant, Duration remaining) {

    /** Reads a row of {@code fenceline_lock} and the column {@code remaining}. */
    static LeaseRow of(ResultSet row) throws SQLException {
        return new LeaseRow(grantOf(row), Duration.ofMillis(row.getLong("remaining")));
    }

    LockRecord record(Redaction redaction) {
        return new LockRecord(grant, remaining, redaction);
    }

    /** Reads a row of {@code fenceline_lock}. */
    static Grant grantOf(ResultSet row) throws SQLException {
        try {
            return new Grant(
                    LockKey.of(row.getString("lock_key")),
                    LockId.parse(row.getString("lock_id")),
                    Holder.of(row.getString("holder")),
                    FencingToken.of(row.getLong("fence")),
                    row.getInt("tokens"),
                    Instant.ofEpochMilli(row.getLong("acquired_at")),
                    Instant.ofEpochMilli(row.getLong("expires_at")));
        } catch (IllegalArgumentException e) {
            throw new SQLException("a row of fenceline_lock was damaged: " + e.getMessage(), e);
        }
    }
}
