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

/**
 * Adds {@code and last_fence<=?} to the SQL that Hibernate made for an UPDATE or DELETE of a row, and {@code last_fence=?} to an UPDATE
 * without it: one that only increments the version, or marks the row as deleted.
 */
final class ColumnCondition {

    private static final String RETURNING = " returning ";

    private final FencedEntity fenced;
    private boolean sets;

    ColumnCondition(FencedEntity fenced) {
        this.fenced = fenced;
    }

    /** Parameter name of the writer's token; not the name of any column. */
    String parameter() {
        return "fence of the writer";
    }

    /** Name of the same parameter where it is stored. */
    String storedParameter() {
        return "fence to store";
    }

    /** Whether the SQL stores the token by {@link #storedParameter}. Known after {@link #addTo}. */
    boolean setsColumn() {
        return sets;
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
            boolean stores = !storesColumn(update);
            sets |= stores;
            String sql = withCondition(update.getSqlString());
            return new JdbcUpdateMutation(
                    table,
                    update.getMutationTarget(),
                    stores ? storing(sql, table) : sql,
                    update.isCallable(),
                    update.getExpectation(),
                    withParameters(update, stores));
        }
        if (operation instanceof JdbcDeleteMutation delete
                && table.getDeleteDetails().getCustomSql() == null) {
            return new JdbcDeleteMutation(
                    table,
                    delete.getMutationTarget(),
                    withCondition(delete.getSqlString()),
                    delete.isCallable(),
                    delete.getExpectation(),
                    withParameters(delete, false));
        }
        throw unsupported(table);
    }

    private UnsupportedOperationException unsupported(TableMapping table) {
        return new UnsupportedOperationException(
                "entity " + fenced.name() + ": its SQL for table " + table.getTableName()
                        + " is not Hibernate's plain UPDATE or DELETE, so @FenceColumn cannot be checked in it;"
                        + " remove the custom SQL, or remove @FenceColumn to fence the entity by the fence table");
    }

    private boolean storesColumn(AbstractJdbcMutation update) {
        return update.getParameterBinders().stream()
                .anyMatch(binder -> binder instanceof ColumnValueParameter value
                        && value.getUsage() == ParameterUsage.SET
                        && value.getColumnReference()
                                .getColumnExpression()
                                .equals(fenced.column().name()));
    }

    private String storing(String sql, TableMapping table) {
        String head = "update " + table.getTableName() + " set ";
        int start = sql.indexOf(head);
        if (start < 0) {
            throw unsupported(table);
        }
        int end = start + head.length();
        return sql.substring(0, end) + fenced.column().name() + "=?," + sql.substring(end);
    }

    private String withCondition(String sql) {
        int end = sql.toLowerCase(Locale.ROOT).lastIndexOf(RETURNING);
        String rest = end < 0 ? "" : sql.substring(end);
        return (end < 0 ? sql : sql.substring(0, end)) + " and "
                + fenced.column().condition() + rest;
    }

    private List<JdbcParameterBinder> withParameters(AbstractJdbcMutation mutation, boolean stores) {
        List<JdbcParameterBinder> parameters = new ArrayList<>(mutation.getParameterBinders());
        if (stores) {
            parameters.add(0, parameter(storedParameter(), ParameterUsage.SET));
        }
        parameters.add(parameter(parameter(), ParameterUsage.RESTRICT));
        return parameters;
    }

    private ColumnValueParameter parameter(String name, ParameterUsage usage) {
        return new ColumnValueParameter(
                new ColumnReference(
                        (String) null,
                        name,
                        false,
                        null,
                        fenced.column().column().getJdbcMapping()),
                usage);
    }
}
