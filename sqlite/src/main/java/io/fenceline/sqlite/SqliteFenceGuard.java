package io.fenceline.sqlite;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.sqlite.Sqlite;
import io.fenceline.telemetry.LockListeners;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Claims and reads the fences beside the locks. A claim is on the disk when the call returns. */
final class SqliteFenceGuard implements FenceGuard {

    static final String READ = "SELECT lock_key, highest, written FROM fenceline_fences WHERE resource = ?1";

    private static final String CLAIM = new Sqlite().fences().claim().get(0).sql() + " RETURNING resource";

    private final SqliteStore store;

    SqliteFenceGuard(SqliteStore store) {
        this.store = store;
    }

    @Override
    public void claim(String resource, FenceStamp stamp) {
        String name = ResourceName.of(resource).value();
        store.changeAll(statements -> claim(statements, name, stamp)).orThrow(name, stamp, LockListeners.NONE);
    }

    private static Verdict claim(PreparedStatements statements, String name, FenceStamp stamp) throws SQLException {
        boolean isAccepted = statements
                .one(
                        CLAIM,
                        row -> true,
                        name,
                        stamp.key().value(),
                        stamp.token().value())
                .isPresent();
        return isAccepted
                ? new Verdict.Accepted()
                : statements
                        .one(READ, SqliteFenceGuard::fence, name)
                        .orElseThrow()
                        .onClaim(stamp);
    }

    @Override
    public Verdict check(String resource, FenceStamp stamp) {
        return fence(resource)
                .map(fence -> fence.onWrite(stamp, FenceRule.AT_LEAST))
                .orElse(new Verdict.Accepted());
    }

    @Override
    public Optional<FenceStamp> highest(String resource) {
        return fence(resource).map(Fence::stamp);
    }

    private Optional<Fence> fence(String resource) {
        return store.one(
                READ, SqliteFenceGuard::fence, ResourceName.of(resource).value());
    }

    static Fence fence(ResultSet row) throws SQLException {
        return new Fence(
                LockKey.of(row.getString("lock_key")), FencingToken.of(row.getLong("highest")), row.getLong("written"));
    }
}
