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
 * Refuses each statement that writes to a table of a fenced entity, unless it is sent by what has taken the fence.
 *
 * <p>It stands where Hibernate logs a statement, before it is sent: the one place that all of them pass, whoever made them. The
 * executors of rows ({@link FencedExecutors}) and {@link Fencing#bulk} {@linkplain #admitting admit} what they send; so a kind of
 * statement that nobody thought of is refused and not let through.
 */
final class StatementGate extends SqlStatementLogger {

    private final SqlStatementLogger plain;

    /** Those of the factories that share the services. */
    private final Set<FencedTables> tables = new CopyOnWriteArraySet<>();

    /** What a factory sends that drops its tables when it is closed ({@code create-drop}). */
    private static final Pattern DROP = Pattern.compile("\\s*(?:drop|alter)\\s[^;]*", Pattern.CASE_INSENSITIVE);

    /** Those of factories that are being closed: their tables may be dropped with them. */
    private final Set<FencedTables> closing = new CopyOnWriteArraySet<>();

    private final ThreadLocal<@Nullable Boolean> admitted = new ThreadLocal<>();

    StatementGate(SqlStatementLogger plain) {
        this.plain = plain;
    }

    void guard(FencedTables fenced) {
        tables.add(fenced);
    }

    /** Lets a factory drop its tables. All else that writes to them is refused until it is closed. */
    void letDrop(FencedTables fenced) {
        closing.add(fenced);
    }

    void forget(FencedTables fenced) {
        tables.remove(fenced);
        closing.remove(fenced);
    }

    /** Runs what has taken the fences of all that it writes. */
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
     * Refuses a statement of a session beforehand, so that its transaction is marked for rollback too. What another session of the
     * thread may send does not count.
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
                "the statement asks for no fence; change the entities one by one, or take the fences of all it changes"
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
