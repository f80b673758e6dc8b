package io.fenceline.hibernate;

import java.util.Set;
import org.hibernate.sql.exec.spi.ExecutionContext;
import org.hibernate.sql.exec.spi.JdbcParameterBindings;
import org.hibernate.sql.exec.spi.JdbcSelect;
import org.hibernate.sql.exec.spi.JdbcSelectExecutor;
import org.hibernate.sql.results.spi.ResultsConsumer;
import org.hibernate.sql.results.spi.RowTransformer;
import org.jspecify.annotations.Nullable;

/** Refuses queries that write to the table of a fenced entity, like {@link BulkGate}. */
record SelectGate(JdbcSelectExecutor plain) implements JdbcSelectExecutor {

    @Override
    public <T, R> T executeQuery(
            JdbcSelect select,
            JdbcParameterBindings bindings,
            ExecutionContext context,
            @Nullable RowTransformer<R> transformer,
            @Nullable Class<R> type,
            StatementCreator statements,
            ResultsConsumer<T, R> consumer) {
        return FenceGate.passing(
                context.getSession(),
                select.getSqlString(),
                Set.of(),
                () -> plain.executeQuery(select, bindings, context, transformer, type, statements, consumer));
    }

    @Override
    public <T, R> T executeQuery(
            JdbcSelect select,
            JdbcParameterBindings bindings,
            ExecutionContext context,
            @Nullable RowTransformer<R> transformer,
            @Nullable Class<R> type,
            int expected,
            StatementCreator statements,
            ResultsConsumer<T, R> consumer) {
        return FenceGate.passing(
                context.getSession(),
                select.getSqlString(),
                Set.of(),
                () -> plain.executeQuery(select, bindings, context, transformer, type, expected, statements, consumer));
    }
}
