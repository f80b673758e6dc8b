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
 * Binds statement values and records those that name the row: to increment a version, Hibernate passes only the key, and the object that is
 * inserted may differ from what it binds.
 */
final class KeyBindings implements JdbcValueBindings {

    private final JdbcValueBindings plain;
    private final EntityPersister persister;
    private final boolean inserts;
    private final Map<String, Object> restrictions = new HashMap<>();
    private final Map<Column, @Nullable Object> inserted = new HashMap<>();

    private record Column(String table, String name) {}

    KeyBindings(JdbcValueBindings plain, EntityPersister persister, boolean inserts) {
        this.plain = plain;
        this.persister = persister;
        this.inserts = inserts;
    }

    /** Returns the values of the identifier's columns, in Hibernate's order; null where one was not bound. */
    List<@Nullable Object> key() {
        List<@Nullable Object> key = new ArrayList<>();
        FencedEntity.identifier(persister)
                .forEachSelectable((i, column) -> key.add(restrictions.get(column.getSelectionExpression())));
        return key;
    }

    /** Returns the value that a new row gets in a column; null if it gets none. */
    @Nullable
    Object inserted(String table, String column) {
        return inserted.get(new Column(table, column));
    }

    @Override
    public void bindValue(@Nullable Object value, String table, String column, ParameterUsage usage) {
        if (usage == ParameterUsage.RESTRICT
                && value != null
                && table.equals(persister.getIdentifierTableMapping().getTableName())) {
            restrictions.put(column, value);
        } else if (usage == ParameterUsage.SET && inserts) {
            inserted.put(new Column(table, column), value);
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
