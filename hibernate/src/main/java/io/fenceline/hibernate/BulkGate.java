package io.fenceline.hibernate;

import io.fenceline.guard.MissingTokenException;
import java.sql.PreparedStatement;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.sql.exec.spi.ExecutionContext;
import org.hibernate.sql.exec.spi.JdbcMutationExecutor;
import org.hibernate.sql.exec.spi.JdbcOperationQueryMutation;
import org.hibernate.sql.exec.spi.JdbcParameterBindings;

/**
 * Refuses HQL, criteria and native statements that write to the table of a fenced entity, as they name no row whose fence could
 * be asked. {@link Fencing#bulk} lets them through.
 */
record BulkGate(JdbcMutationExecutor plain) implements JdbcMutationExecutor {

    @Override
    public int execute(
            JdbcOperationQueryMutation mutation,
            JdbcParameterBindings bindings,
            Function<String, PreparedStatement> statements,
            BiConsumer<Integer, PreparedStatement> expectation,
            ExecutionContext context) {
        refuseUnlessAllowed(mutation, context.getSession());
        return plain.execute(mutation, bindings, statements, expectation, context);
    }

    private static void refuseUnlessAllowed(
            JdbcOperationQueryMutation mutation, SharedSessionContractImplementor session) {
        FenceGate gate = FenceGate.find(session.getFactory());
        if (gate == null || gate.fences(session).allowsBulk()) {
            return;
        }
        FencedTables fenced = gate.tables(session.getFactory());
        Optional<String> table =
                fenced.among(mutation.getAffectedTableNames()).or(() -> fenced.namedIn(mutation.getSqlString()));
        if (table.isPresent()) {
            SessionFences.refusable(session, () -> {
                throw new MissingTokenException(
                        table.get(),
                        "a statement for many rows asks for no fence; change the entities one by one, or take the fences"
                                + " of all it changes with Fencing.in(session).bulk(resources, work)");
            });
        }
    }
}
