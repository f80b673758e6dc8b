package io.fenceline.hibernate;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The fence table, entered on a session's own connection, so that its rows are locked until the session's commit.
 *
 * @param often for those who write as often as they like
 * @param once for those whose grant writes once
 */
record FenceTable(JdbcFenceGuard often, JdbcFenceGuard once) {

    static FenceTable of(DataSource source, GuardOptions options) {
        return new FenceTable(
                JdbcFenceGuard.on(source, options.withRule(FenceRule.AT_LEAST)),
                JdbcFenceGuard.on(source, options.withRule(FenceRule.ONCE)));
    }

    /** Takes the row for a write, or throws. */
    void enter(Connection connection, String resource, FenceStamp stamp, FenceRule rule) throws SQLException {
        (rule == FenceRule.ONCE ? once : often).enter(connection, resource, stamp);
    }

    /** Takes the row for reading, or throws; nothing counts as written. */
    void claim(Connection connection, String resource, FenceStamp stamp) throws SQLException {
        often.claim(connection, resource, stamp);
    }
}
