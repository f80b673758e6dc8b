package io.fenceline.jdbc.guard;

import io.fenceline.guard.FenceRule;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Base of the dialects with {@code INSERT … ON CONFLICT}. */
abstract class UpsertDialect implements FenceDialect {

    private static final String ENTER = """
            INSERT INTO fenceline_fences AS fence (resource, lock_key, highest, written, updated_at)
            VALUES (?1, ?2, ?3, %s, %s)
            ON CONFLICT (resource) DO UPDATE
               SET highest = excluded.highest, written = %s, updated_at = excluded.updated_at
             WHERE fence.lock_key = excluded.lock_key AND fence.highest <= excluded.highest""";

    /** A claim that raises nothing only locks the row. To change it would be a write for a trigger that asks who changed it last. */
    private static final String AND_OLDER = " AND fence.highest < excluded.highest";

    private static final String AND_NOT_WRITTEN = " AND fence.written < excluded.highest";

    private static final String NEXT_NUMBER = """
            INSERT INTO fenceline_fences_clock AS clock (name, last_number) VALUES (?1, 1)
            ON CONFLICT (name) DO UPDATE SET last_number = clock.last_number + 1 WHERE clock.last_number < ?2
            RETURNING last_number""";

    private static final String RAISE_CLOCK = """
            INSERT INTO fenceline_fences_clock AS clock (name, last_number) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET last_number = excluded.last_number
             WHERE clock.last_number < excluded.last_number""";

    private final String now;
    private final String nowOfWrite;

    /**
     * @param now the expression for the time of a statement, as the table keeps it
     * @param nowOfWrite the same for writes, where {@code ?2} is the lock key and {@code ?3} the token
     */
    UpsertDialect(String now, String nowOfWrite) {
        this.now = now;
        this.nowOfWrite = nowOfWrite;
    }

    @Override
    public final List<Step> write(FenceRule rule) {
        String sql = ENTER.formatted("?3", nowOfWrite, "excluded.highest");
        return List.of(Step.one(rule == FenceRule.ONCE ? sql + AND_NOT_WRITTEN : sql));
    }

    @Override
    public final List<Step> claim() {
        return List.of(Step.one(ENTER.formatted("0", now, "fence.written") + AND_OLDER));
    }

    @Override
    public final List<String> nextNumber() {
        return List.of(NEXT_NUMBER);
    }

    @Override
    public final List<Step> raiseClock() {
        return List.of(Step.one(RAISE_CLOCK));
    }

    @Override
    public final String now() {
        return now;
    }

    @Override
    public final Object key(String name) {
        return name;
    }

    @Override
    public final String key(ResultSet row, String column) throws SQLException {
        return row.getString(column);
    }

    /** {@inheritDoc} Who has read before others wrote fails before it comes to that. */
    @Override
    public final String latest(String query) {
        return query;
    }

    @Override
    public final String quoted(String identifier) {
        return QuotedName.of(identifier, '"', '"');
    }
}
