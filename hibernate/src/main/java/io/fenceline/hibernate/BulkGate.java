package io.fenceline.hibernate;

import java.sql.PreparedStatement;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.hibernate.sql.exec.spi.ExecutionContext;
import org.hibernate.sql.exec.spi.JdbcMutationExecutor;
import org.hibernate.sql.exec.spi.JdbcOperationQueryMutation;
import org.hibernate.sql.exec.spi.JdbcParameterBindings;

/**
 * Refuses HQL, criteria and native statements that write to the table of a fenced entity, since they name no row whose fence could
 * be checked. {@link Fencing#bulk} admits them.
 */
record BulkGate(JdbcMutationExecutor plain) implements JdbcMutationExecutor {

    @Override
    public int execute(
            JdbcOperationQueryMutation mutation,
            JdbcParameterBindings bindings,
            Function<String, PreparedStatement> statements,
            BiConsumer<Integer, PreparedStatement> expectation,
            ExecutionContext context) {
        return FenceGate.passing(
                context.getSession(),
                mutation.getSqlString(),
                mutation.getAffectedTableNames(),
                () -> plain.execute(mutation, bindings, statements, expectation, context));
    }
}
