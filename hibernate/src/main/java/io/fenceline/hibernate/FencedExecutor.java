package io.fenceline.hibernate;

import java.util.Optional;
import org.hibernate.HibernateException;
import org.hibernate.JDBCException;
import org.hibernate.StaleObjectStateException;
import org.hibernate.engine.jdbc.batch.spi.Batch;
import org.hibernate.engine.jdbc.mutation.JdbcValueBindings;
import org.hibernate.engine.jdbc.mutation.MutationExecutor;
import org.hibernate.engine.jdbc.mutation.OperationResultChecker;
import org.hibernate.engine.jdbc.mutation.ParameterUsage;
import org.hibernate.engine.jdbc.mutation.TableInclusionChecker;
import org.hibernate.engine.jdbc.mutation.group.PreparedStatementDetails;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.values.GeneratedValues;
import org.hibernate.sql.model.ValuesAnalysis;
import org.jspecify.annotations.Nullable;

/**
 * Executes the statements of one change of a fenced row: sees to it that the row's fence is taken, and lets the UPDATE or DELETE ask for the
 * fence in a column. If that matches no row, alone or in a batch, the reason is told: a greater token in the row is a stale
 * writer; all else is what Hibernate says.
 *
 * @param plain sends the SQL
 * @param rows looks at the row afterwards
 * @param inserts whether the row is new
 * @param condition what was added to the SQL; none without a column
 * @param bindings the statement's values
 */
record FencedExecutor(
        MutationExecutor plain,
        FencedRow rows,
        boolean inserts,
        @Nullable ColumnCondition condition,
        KeyBindings bindings)
        implements MutationExecutor {

    /** A row whose fence is taken. */
    private record Row(@Nullable Object id, String resource, long admitted) {}

    @Override
    public JdbcValueBindings getJdbcValueBindings() {
        return bindings;
    }

    @Override
    public PreparedStatementDetails getPreparedStatementDetails(String table) {
        return plain.getPreparedStatementDetails(table);
    }

    @Override
    public @Nullable GeneratedValues execute(
            @Nullable Object entity,
            @Nullable ValuesAnalysis analysis,
            @Nullable TableInclusionChecker inclusion,
            @Nullable OperationResultChecker checker,
            SharedSessionContractImplementor session) {
        return execute(entity, analysis, inclusion, checker, session, null);
    }

    @Override
    public @Nullable GeneratedValues execute(
            @Nullable Object entity,
            @Nullable ValuesAnalysis analysis,
            @Nullable TableInclusionChecker inclusion,
            @Nullable OperationResultChecker checker,
            SharedSessionContractImplementor session,
            Batch.@Nullable StaleStateMapper mapper) {
        if (inserts && rows.fenced().isNamedByInsert()) {
            // It has no name yet: its fence is taken when the database has numbered it.
            SessionFences.refusable(
                    session,
                    () -> fences().ensureShown(session, rows.fenced().resource().text()));
            return plain.execute(entity, analysis, inclusion, checker, session, mapper);
        }
        Row row = take(entity, session);
        if (condition == null) {
            return plain.execute(entity, analysis, inclusion, checker, session, mapper);
        }
        try {
            return plain.execute(entity, analysis, inclusion, judging(checker, row), session, failure -> {
                HibernateException told = mapper == null ? failure : mapper.map(failure);
                refuseIfStale(told, row);
                return told;
            });
        } catch (JDBCException failure) {
            if (row.id() != null) {
                rows.refuseIfStale(failure.getSQLException(), row.id(), row.resource(), row.admitted());
            }
            throw failure;
        }
    }

    private Row take(@Nullable Object entity, SharedSessionContractImplementor session) {
        FencedEntity fenced = rows.fenced();
        Object id = entity == null ? null : fenced.persister().getIdentifier(entity, session);
        String resource = entity == null ? byKey(fenced) : fenced.resourceOf(id, entity, session);
        fences().ensureTaken(session, resource, fenced.rule());
        if (!fenced.hasColumn()) {
            return new Row(id, resource, 0);
        }
        long admitted = fences().admittedUpTo(resource, fenced.rule());
        if (condition != null) {
            bindings.bindValue(
                    fenced.column().bound(admitted),
                    rows.table().getTableName(),
                    condition.parameter(),
                    ParameterUsage.RESTRICT);
        }
        return new Row(id, resource, admitted);
    }

    private String byKey(FencedEntity fenced) {
        Optional<String> name = fenced.resourceOfKey(bindings.key());
        return name.orElseThrow(() -> new UnsupportedOperationException("the row of " + fenced.name()
                + " is written by its key alone, as when its version is raised, and its fence is '"
                + fenced.resource().text() + "'; change an attribute, or name the fence by {id}"));
    }

    private SessionFences fences() {
        return rows.gate().fences(rows.session());
    }

    private OperationResultChecker judging(@Nullable OperationResultChecker checker, Row row) {
        return (statement, rowCount, position) -> {
            try {
                return checker == null || checker.checkResult(statement, rowCount, position);
            } catch (StaleObjectStateException nothingMatched) {
                refuseIfStale(nothingMatched, row);
                throw nothingMatched;
            }
        };
    }

    private void refuseIfStale(RuntimeException failure, Row row) {
        if (failure instanceof StaleObjectStateException nothingMatched && nothingMatched.getIdentifier() != null) {
            rows.refuseIfStale(nothingMatched.getIdentifier(), row.resource(), row.admitted());
        }
    }

    @Override
    public void release() {
        plain.release();
    }
}
