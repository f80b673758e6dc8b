package io.fenceline.hibernate;

import java.sql.PreparedStatement;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.hibernate.sql.exec.internal.JdbcOperationQueryMutationNative;
import org.hibernate.sql.exec.spi.ExecutionContext;
import org.hibernate.sql.exec.spi.JdbcMutationExecutor;
import org.hibernate.sql.exec.spi.JdbcOperationQueryMutation;
import org.hibernate.sql.exec.spi.JdbcParameterBindings;

/**
 * Refuses HQL, criteria and native statements that write to the table of a fenced entity, since they name no row whose fence could
 * be checked. {@link Fencing#bulk} admits them. The tables are found in the SQL; of a native statement also those that the program declares. What
 * Hibernate knows of HQL includes tables that are only read.
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
                mutation instanceof JdbcOperationQueryMutationNative ? mutation.getAffectedTableNames() : Set.of(),
                () -> plain.execute(mutation, bindings, statements, expectation, context));
    }
}
