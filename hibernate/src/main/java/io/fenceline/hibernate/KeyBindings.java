package io.fenceline.hibernate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.engine.jdbc.mutation.JdbcValueBindings;
import org.hibernate.engine.jdbc.mutation.ParameterUsage;
import org.hibernate.engine.jdbc.mutation.group.PreparedStatementDetails;
import org.hibernate.engine.jdbc.mutation.spi.BindingGroup;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.sql.model.TableMapping;
import org.jspecify.annotations.Nullable;

/**
 * Binds statement values and records the row's key: to increment a version, Hibernate passes only the key.
 */
final class KeyBindings implements JdbcValueBindings {

    private final JdbcValueBindings plain;
    private final EntityPersister persister;
    private final Map<String, Object> restrictions = new HashMap<>();

    KeyBindings(JdbcValueBindings plain, EntityPersister persister) {
        this.plain = plain;
        this.persister = persister;
    }

    /** Returns the values of the identifier's columns, in Hibernate's order; null where one was not bound. */
    List<@Nullable Object> key() {
        List<@Nullable Object> key = new ArrayList<>();
        FencedEntity.identifier(persister)
                .forEachSelectable((i, column) -> key.add(restrictions.get(column.getSelectionExpression())));
        return key;
    }

    @Override
    public void bindValue(@Nullable Object value, String table, String column, ParameterUsage usage) {
        if (usage == ParameterUsage.RESTRICT
                && value != null
                && table.equals(persister.getIdentifierTableMapping().getTableName())) {
            restrictions.put(column, value);
        }
        plain.bindValue(value, table, column, usage);
    }

    @Override
    public @Nullable BindingGroup getBindingGroup(String table) {
        return plain.getBindingGroup(table);
    }

    @Override
    public void beforeStatement(PreparedStatementDetails statement) {
        plain.beforeStatement(statement);
    }

    @Override
    public void afterStatement(TableMapping table) {
        plain.afterStatement(table);
    }
}
