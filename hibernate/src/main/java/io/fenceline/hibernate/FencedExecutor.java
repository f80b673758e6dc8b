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
 * Executes the statements of one change of a fenced row. Ensures that the row's fence is taken, and binds the condition on the fence
 * column. If the statement matches no row, alone or in a batch, a greater token in the row means a stale writer; otherwise
 * Hibernate's exception stands.
 *
 * @param condition the condition added to the SQL; null without a column
 */
record FencedExecutor(
        MutationExecutor plain,
        EntityRow rows,
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
            // Its id is not generated yet: its fence is taken after the insert.
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
            GeneratedValues values =
                    plain.execute(entity, analysis, inclusion, checkingStaleness(checker, row), session, failure -> {
                        HibernateException mapped = mapper == null ? failure : mapper.map(failure);
                        refuseIfStale(mapped, row);
                        return mapped;
                    });
            if (values == null) {
                refuseUncounted(row, fences().stampFor(row.resource()).token().value());
            }
            return values;
        } catch (JDBCException failure) {
            if (row.id() != null) {
                rows.refuseIfStale(failure.getSQLException(), row.id(), row.resource(), row.admitted());
            }
            throw failure;
        } catch (HibernateException failure) {
            refuseUncounted(row, row.admitted());
            throw failure;
        }
    }

    /**
     * Refuses if the row has a greater token than may be there: what was admitted, or, where the row may have been written, that of the writer. Hibernate
     * counts no rows where updates return columns that the database generates.
     */
    private void refuseUncounted(Row row, long greatest) {
        if (!inserts && rows.fenced().persister().getUpdateDelegate() != null) {
            rows.refuseKeyIfStale(bindings.key(), row.resource(), greatest);
        }
    }

    private Row take(@Nullable Object entity, SharedSessionContractImplementor session) {
        FencedEntity fenced = rows.fenced();
        Object id = entity == null ? null : fenced.persister().getIdentifier(entity, session);
        String resource = entity == null
                ? byKey(fenced)
                : inserts ? fenced.resourceOfInsert(bindings, session) : fenced.resourceOf(id, entity, session);
        fences().ensureTaken(session, resource, fenced.rule());
        if (!fenced.hasColumn()) {
            return new Row(id, resource, 0);
        }
        long admitted = fences().admittedUpTo(resource, fenced.rule());
        if (condition != null) {
            if (condition.setsColumn()) {
                bindings.bindValue(
                        fenced.column().value(fences().stampFor(resource).token()),
                        rows.table().getTableName(),
                        condition.storedParameter(),
                        ParameterUsage.SET);
            }
            bindings.bindValue(
                    fenced.column().bound(admitted),
                    rows.table().getTableName(),
                    condition.parameter(),
                    ParameterUsage.RESTRICT);
        }
        return new Row(id, resource, admitted);
    }

    private String byKey(FencedEntity fenced) {
        Optional<String> name = fenced.resourceOfKey(bindings.key(), rows.session());
        return name.orElseThrow(() -> new UnsupportedOperationException("the row of " + fenced.name()
                + " is written by its key alone, as when its version is incremented, and its fence is '"
                + fenced.resource().text() + "'; change an attribute, or name the fence by {id}"));
    }

    private SessionFences fences() {
        return rows.gate().fences(rows.session());
    }

    private OperationResultChecker checkingStaleness(@Nullable OperationResultChecker checker, Row row) {
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
