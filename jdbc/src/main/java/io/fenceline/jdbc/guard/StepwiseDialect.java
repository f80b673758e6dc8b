package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.dialect.Dialect;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * What products have in common that have no upsert to rely on: an update, and where there is no row an insert. Who inserts a row
 * that another has just made finds it by the update that follows. Names are kept as bytes in UTF-8, since how texts compare
 * depends on how a database was set up.
 */
abstract class StepwiseDialect implements FenceDialect {

    private static final String RAISE = """
            UPDATE fenceline_fences%1$s
               SET highest = ?3, written = %2$s, updated_at = %3$s
             WHERE resource = ?1 AND lock_key = ?2 AND highest <= ?3""";

    private static final String AND_NOT_WRITTEN = " AND written < ?3";

    private static final String MAKE = """
            INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
            SELECT ?1, ?2, ?3, %2$s, %3$s
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences%1$s WHERE resource = ?1)""";

    private static final String RAISE_CLOCK = """
            UPDATE fenceline_fences_clock%1$s
               SET last_number = ?2
             WHERE name = ?1 AND last_number < ?2""";

    private static final String MAKE_CLOCK = """
            INSERT INTO fenceline_fences_clock (name, last_number)
            SELECT ?1, ?2
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences_clock%1$s WHERE name = ?1)""";

    private final Dialect locks;
    private final String now;
    private final String locking;

    /**
     * @param locks the product's locks, which know its errors too
     * @param now the expression for the time of a statement, as the table keeps it
     * @param locking what follows the name of a table whose row, or place for a row, is to be kept locked; perhaps empty
     */
    StepwiseDialect(Dialect locks, String now, String locking) {
        this.locks = locks;
        this.now = now;
        this.locking = locking;
    }

    @Override
    public final String product() {
        return locks.product();
    }

    @Override
    public final boolean isInTransaction(Connection connection) throws SQLException {
        return locks.isInTransaction(connection);
    }

    @Override
    public final BackendException failed(SQLException e, Effect unclear) {
        return locks.errors().failed(e, unclear);
    }

    @Override
    public final BackendException unreachable(SQLException e) {
        return locks.errors().unreachable(e);
    }

    @Override
    public final List<Step> write(FenceRule rule) {
        String raise = RAISE.formatted(locking, "?3", now) + (rule == FenceRule.ONCE ? AND_NOT_WRITTEN : "");
        return entering(raise, MAKE.formatted(locking, "?3", now));
    }

    @Override
    public final List<Step> claim() {
        return entering(RAISE.formatted(locking, "written", now), MAKE.formatted(locking, "0", now));
    }

    @Override
    public final List<Step> raiseClock() {
        return entering(RAISE_CLOCK.formatted(locking), MAKE_CLOCK.formatted(locking));
    }

    private static List<Step> entering(String update, String insert) {
        return List.of(Step.one(update), Step.one(insert), Step.one(update));
    }

    @Override
    public final String now() {
        return now;
    }

    @Override
    public final Object key(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public final String key(ResultSet row, String column) throws SQLException {
        return new String(row.getBytes(column), StandardCharsets.UTF_8);
    }

    @Override
    public final List<String> statements(String script) {
        return List.of(script);
    }
}
