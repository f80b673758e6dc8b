package io.fenceline.jdbc.postgresql;

import static java.util.concurrent.TimeUnit.MINUTES;

import io.fenceline.time.Ticker;
import java.sql.SQLException;
import java.util.Set;

/**
 * Calls a function of the schema, or does without where it is missing, belongs to another table, or may not be executed. That is found out by
 * calling, and tried again after a minute: somebody may have installed it.
 */
final class SchemaCall {

    /** There is no such function for this table, or it does not find a table, or it or its table may not be used. Nothing was changed. */
    private static final Set<String> REFUSED = Set.of("42883", "42P01", "42501");

    private static final long TRIED_AGAIN_NANOS = MINUTES.toNanos(1);

    private final Ticker ticker;
    private volatile boolean refused;
    private volatile long refusedAtNanos;

    SchemaCall(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Runs one of both, or the second after the first was refused. */
    <T> T run(Attempt<T> call, Attempt<T> without) throws SQLException {
        if (refused && ticker.nanos() - refusedAtNanos < TRIED_AGAIN_NANOS) {
            return without.run();
        }
        try {
            T answer = call.run();
            refused = false;
            return answer;
        } catch (SQLException e) {
            if (!REFUSED.contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
        }
        T answer = without.run();
        refusedAtNanos = ticker.nanos();
        refused = true;
        return answer;
    }

    /** A way to ask. */
    @FunctionalInterface
    interface Attempt<T> {
        T run() throws SQLException;
    }
}
