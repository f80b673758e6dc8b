package io.fenceline.hibernate;

import io.fenceline.guard.MissingTokenException;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.hibernate.engine.jdbc.internal.Formatter;
import org.hibernate.engine.jdbc.spi.SqlStatementLogger;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.jdbc.spi.JdbcSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * Refuses statements that write to a table of a fenced entity, unless they come from code that has taken the fence.
 *
 * <p>It hooks into Hibernate's statement logger, the one place that every statement passes before it is sent. The executors of rows
 * ({@link FencedExecutors}) and {@link Fencing#bulk} {@linkplain #admitting admit} their statements; any other kind of statement is
 * refused by default.
 */
final class StatementGate extends SqlStatementLogger {

    private final SqlStatementLogger plain;

    /** Tables of all factories that share the services. */
    private final Set<FencedTables> tables = new CopyOnWriteArraySet<>();

    /** Statements of a closing factory that drops its tables ({@code create-drop}). */
    private static final Pattern DROP = Pattern.compile("\\s*(?:drop|alter)\\s[^;]*", Pattern.CASE_INSENSITIVE);

    /** Tables of closing factories, which may be dropped. */
    private final Set<FencedTables> closing = new CopyOnWriteArraySet<>();

    private final ThreadLocal<@Nullable Boolean> admitted = new ThreadLocal<>();

    StatementGate(SqlStatementLogger plain) {
        this.plain = plain;
    }

    void guard(FencedTables fenced) {
        tables.add(fenced);
    }

    /** Allows a factory to drop its tables. Other writes to them are refused until it is closed. */
    void letDrop(FencedTables fenced) {
        closing.add(fenced);
    }

    void forget(FencedTables fenced) {
        tables.remove(fenced);
        closing.remove(fenced);
    }

    /** Runs work that has taken the fences of all its writes. */
    <T extends @Nullable Object> T admitting(Supplier<T> work) {
        Boolean before = admitted.get();
        admitted.set(true);
        try {
            return work.get();
        } finally {
            if (before == null) {
                admitted.remove();
            }
        }
    }

    /**
     * Refuses a statement of a session early, so that its transaction is marked for rollback. Ignores the admission of other
     * sessions on this thread.
     */
    void check(SharedSessionContractImplementor session, String sql) {
        if (tables.stream().anyMatch(each -> each.writtenBy(sql).isPresent())) {
            SessionFences.refusable(session, () -> refuseIfFenced(sql));
        }
    }

    private void check(String sql) {
        if (admitted.get() == null) {
            refuseIfFenced(sql);
        }
    }

    private void refuseIfFenced(String sql) {
        for (FencedTables each : tables) {
            if (closing.contains(each) && DROP.matcher(sql).matches()) {
                continue;
            }
            each.writtenBy(sql).ifPresent(table -> {
                throw refusal(table);
            });
        }
    }

    static MissingTokenException refusal(String table) {
        return new MissingTokenException(
                table,
                "the statement checks no fence; change the entities one by one, or take the fences of all changed rows"
                        + " with Fencing.in(session).bulk(resources, work)");
    }

    @Override
    public void logStatement(String sql) {
        check(sql);
        plain.logStatement(sql);
    }

    @Override
    public void logStatement(String sql, Formatter formatter) {
        check(sql);
        plain.logStatement(sql, formatter);
    }

    @Override
    public void logSlowQuery(String sql, long startTimeNanos, JdbcSessionContext context) {
        plain.logSlowQuery(sql, startTimeNanos, context);
    }

    @Override
    public boolean isLogToStdout() {
        return plain.isLogToStdout();
    }

    @Override
    public boolean isFormat() {
        return plain.isFormat();
    }

    @Override
    public long getLogSlowQuery() {
        return plain.getLogSlowQuery();
    }
}
