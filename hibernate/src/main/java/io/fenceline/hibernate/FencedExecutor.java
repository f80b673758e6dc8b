package io.fenceline.hibernate;

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
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.sql.model.ValuesAnalysis;
import org.jspecify.annotations.Nullable;

/**
 * One UPDATE or DELETE whose SQL asks for the fence. If it matches no row, alone or in a batch, the reason is told: a greater
 * token in the row is a stale writer; all else is what Hibernate says.
 *
 * @param plain runs the SQL
 * @param rows looks at the row afterwards
 * @param persister the entity's
 * @param condition what was added to the SQL
 */
record FencedExecutor(MutationExecutor plain, FencedRow rows, EntityPersister persister, ColumnCondition condition)
        implements MutationExecutor {

    @Override
    public JdbcValueBindings getJdbcValueBindings() {
        return plain.getJdbcValueBindings();
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
            OperationResultChecker checker,
            SharedSessionContractImplementor session) {
        return execute(entity, analysis, inclusion, checker, session, null);
    }

    @Override
    public @Nullable GeneratedValues execute(
            @Nullable Object entity,
            @Nullable ValuesAnalysis analysis,
            @Nullable TableInclusionChecker inclusion,
            OperationResultChecker checker,
            SharedSessionContractImplementor session,
            Batch.@Nullable StaleStateMapper mapper) {
        long admitted = bind(entity);
        return plain.execute(entity, analysis, inclusion, judging(checker, entity, admitted), session, failure -> {
            RuntimeException told = mapper == null ? failure : mapper.map(failure);
            refuseIfStale(told, entity, admitted);
            return mapper == null ? failure : mapper.map(failure);
        });
    }

    private OperationResultChecker judging(OperationResultChecker checker, @Nullable Object entity, long admitted) {
        return (statement, rowCount, position) -> {
            try {
                return checker.checkResult(statement, rowCount, position);
            } catch (StaleObjectStateException nothingMatched) {
                refuseIfStale(nothingMatched, entity, admitted);
                throw nothingMatched;
            }
        };
    }

    private long bind(@Nullable Object entity) {
        Object id = entity == null ? null : persister.getIdentifier(entity, rows.session());
        long admitted = rows.gate()
                .fences(rows.session())
                .admittedUpTo(resource(id, entity), rows.fenced().rule());
        plain.getJdbcValueBindings()
                .bindValue(
                        rows.fenced().column().bound(admitted),
                        rows.table().getTableName(),
                        condition.parameter(),
                        ParameterUsage.RESTRICT);
        return admitted;
    }

    private void refuseIfStale(RuntimeException failure, @Nullable Object entity, long admitted) {
        if (failure instanceof StaleObjectStateException nothingMatched && nothingMatched.getIdentifier() != null) {
            rows.refuseIfStale(
                    nothingMatched.getIdentifier(), resource(nothingMatched.getIdentifier(), entity), admitted);
        }
    }

    private String resource(@Nullable Object id, @Nullable Object entity) {
        return rows.fenced().resourceOrTemplate(persister, id, entity);
    }

    @Override
    public void release() {
        plain.release();
    }
}
