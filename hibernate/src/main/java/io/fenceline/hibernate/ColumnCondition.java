package io.fenceline.hibernate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.hibernate.engine.jdbc.mutation.ParameterUsage;
import org.hibernate.sql.ast.tree.expression.ColumnReference;
import org.hibernate.sql.exec.spi.JdbcParameterBinder;
import org.hibernate.sql.model.EntityMutationOperationGroup;
import org.hibernate.sql.model.MutationOperation;
import org.hibernate.sql.model.TableMapping;
import org.hibernate.sql.model.ast.ColumnValueParameter;
import org.hibernate.sql.model.jdbc.AbstractJdbcMutation;
import org.hibernate.sql.model.jdbc.JdbcDeleteMutation;
import org.hibernate.sql.model.jdbc.JdbcUpdateMutation;

/** Adds {@code and last_fence<=?} to the SQL that Hibernate made for an UPDATE or DELETE of a row. */
final class ColumnCondition {

    private static final String RETURNING = " returning ";

    private final FencedEntity fenced;

    ColumnCondition(FencedEntity fenced) {
        this.fenced = fenced;
    }

    /** Parameter name of the writer's token; not the name of any column. */
    String parameter() {
        return "fence of the writer";
    }

    FencedOperations addTo(EntityMutationOperationGroup group) {
        String table = group.getMutationTarget().getIdentifierTableMapping().getTableName();
        List<MutationOperation> operations = new ArrayList<>();
        for (int i = 0; i < group.getNumberOfOperations(); i++) {
            MutationOperation operation = group.getOperation(i);
            boolean first = operation.getTableDetails().getTableName().equals(table);
            operations.add(first ? conditional(operation) : operation);
        }
        return new FencedOperations(group, List.copyOf(operations));
    }

    private MutationOperation conditional(MutationOperation operation) {
        TableMapping table = operation.getTableDetails();
        if (operation instanceof JdbcUpdateMutation update
                && table.getUpdateDetails().getCustomSql() == null) {
            return new JdbcUpdateMutation(
                    table,
                    update.getMutationTarget(),
                    withCondition(update.getSqlString()),
                    update.isCallable(),
                    update.getExpectation(),
                    withParameter(update));
        }
        if (operation instanceof JdbcDeleteMutation delete
                && table.getDeleteDetails().getCustomSql() == null) {
            return new JdbcDeleteMutation(
                    table,
                    delete.getMutationTarget(),
                    withCondition(delete.getSqlString()),
                    delete.isCallable(),
                    delete.getExpectation(),
                    withParameter(delete));
        }
        throw new UnsupportedOperationException(
                "entity " + fenced.name() + ": its SQL for table " + table.getTableName()
                        + " is not Hibernate's plain UPDATE or DELETE, so @FenceColumn cannot be checked in it;"
                        + " remove the custom SQL, or remove @FenceColumn to fence the entity by the fence table");
    }

    private String withCondition(String sql) {
        int end = sql.toLowerCase(Locale.ROOT).lastIndexOf(RETURNING);
        String rest = end < 0 ? "" : sql.substring(end);
        return (end < 0 ? sql : sql.substring(0, end)) + " and "
                + fenced.column().condition() + rest;
    }

    private List<JdbcParameterBinder> withParameter(AbstractJdbcMutation mutation) {
        List<JdbcParameterBinder> parameters = new ArrayList<>(mutation.getParameterBinders());
        parameters.add(new ColumnValueParameter(
                new ColumnReference(
                        (String) null,
                        parameter(),
                        false,
                        null,
                        fenced.column().column().getJdbcMapping()),
                ParameterUsage.RESTRICT));
        return parameters;
    }
}
