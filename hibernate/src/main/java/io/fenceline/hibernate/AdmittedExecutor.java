package io.fenceline.hibernate;

import org.hibernate.engine.jdbc.batch.spi.Batch;
import org.hibernate.engine.jdbc.mutation.JdbcValueBindings;
import org.hibernate.engine.jdbc.mutation.MutationExecutor;
import org.hibernate.engine.jdbc.mutation.OperationResultChecker;
import org.hibernate.engine.jdbc.mutation.TableInclusionChecker;
import org.hibernate.engine.jdbc.mutation.group.PreparedStatementDetails;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.values.GeneratedValues;
import org.hibernate.sql.model.ValuesAnalysis;
import org.jspecify.annotations.Nullable;

/**
 * Executes statements for rows whose fence is taken, or that have none, and admits them at the {@link StatementGate}.
 */
record AdmittedExecutor(MutationExecutor plain, StatementGate statements) implements MutationExecutor {

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
            @Nullable Object model,
            @Nullable ValuesAnalysis analysis,
            @Nullable TableInclusionChecker inclusion,
            @Nullable OperationResultChecker checker,
            SharedSessionContractImplementor session) {
        return statements.admitting(() -> plain.execute(model, analysis, inclusion, checker, session));
    }

    @Override
    public @Nullable GeneratedValues execute(
            @Nullable Object model,
            @Nullable ValuesAnalysis analysis,
            @Nullable TableInclusionChecker inclusion,
            @Nullable OperationResultChecker checker,
            SharedSessionContractImplementor session,
            Batch.@Nullable StaleStateMapper mapper) {
        return statements.admitting(() -> plain.execute(model, analysis, inclusion, checker, session, mapper));
    }

    @Override
    public void release() {
        plain.release();
    }
}
