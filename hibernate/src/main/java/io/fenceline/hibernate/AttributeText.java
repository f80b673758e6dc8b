package io.fenceline.hibernate;

import io.fenceline.guard.ResourceKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.metamodel.mapping.internal.ToOneAttributeMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.sql.Template;
import org.hibernate.type.CustomType;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * Formats an identifier or attribute for resource names: the {@link ResourceKey} text of its column values. A converted attribute
 * is its database value, an association its key, an embedded value its attributes in alphabetical order of their names.
 *
 * @param persister whose rows are named
 * @param name as in the template
 * @param part Hibernate's mapping
 * @param isAlone whether the template has no other placeholder
 * @param columns in Hibernate's order of JDBC values
 * @param stored what the database says of the columns; null before the first use
 */
record AttributeText(
        EntityPersister persister,
        String name,
        ModelPart part,
        boolean isAlone,
        List<Column> columns,
        AtomicReference<@Nullable List<StoredColumn>> stored) {

    /** One column of a name. Its value is what Hibernate binds, so that the name is that of the row which the statement reaches. */
    private record Column(String path, SelectableMapping selectable) {

        private JdbcMapping mapping() {
            return selectable.getJdbcMapping();
        }

        Class<?> boundType(WrapperOptions options) {
            return mapping().getJdbcType().getPreferredJavaTypeClass(options);
        }

        Object bound(Object value, WrapperOptions options) {
            @SuppressWarnings("unchecked") // the values of a mapping are of its own type
            JavaType<Object> type = (JavaType<Object>) mapping().getJdbcJavaType();
            return type.unwrap(value, boundType(options), options);
        }

        /** Returns what keeps its values from naming a row, if anything does. */
        Optional<String> problem(WrapperOptions options) {
            if (selectable.isFormula()) {
                return Optional.of("whose value is a formula");
            } else if (isRewritten()) {
                return Optional.of("which is read or written through an SQL expression");
            } else if (mapping() instanceof CustomType<?>
                    || !mapping().getJdbcType().getClass().getName().startsWith("org.hibernate.")) {
                return Optional.of("which has a UserType or JdbcType of its own");
            }
            Class<?> type = boundType(options);
            return StoredColumn.isKey(type)
                    ? Optional.empty()
                    : Optional.of("whose column gets values of type " + type.getTypeName());
        }

        private boolean isRewritten() {
            String column = Template.TEMPLATE + '.' + selectable.getSelectionExpression();
            return !Optional.ofNullable(selectable.getCustomReadExpression())
                            .orElse(column)
                            .equals(column)
                    || !selectable.getWriteExpression().equals("?");
        }
    }

    static AttributeText of(EntityPersister persister, String name, ModelPart part, boolean isAlone) {
        List<Column> columns = new ArrayList<>();
        collect(name, part, columns);
        return new AttributeText(persister, name, part, isAlone, List.copyOf(columns), new AtomicReference<>());
    }

    private static void collect(String path, ModelPart part, List<Column> columns) {
        if (part instanceof EmbeddableValuedModelPart embedded) {
            EmbeddableMappingType type = embedded.getEmbeddableTypeDescriptor();
            for (int i = 0; i < type.getNumberOfAttributeMappings(); i++) {
                collect(
                        path + '.' + type.getAttributeMapping(i).getAttributeName(),
                        type.getAttributeMapping(i),
                        columns);
            }
        } else {
            part.forEachSelectable((i, selectable) -> columns.add(new Column(path, selectable)));
        }
    }

    /** Returns a description of a part that cannot name a row, if any. */
    Optional<String> problem() {
        if (columns.isEmpty()) {
            return Optional.of("'" + name + "', which has no column of its own");
        }
        WrapperOptions options = persister.getFactory().getWrapperOptions();
        return columns.stream()
                .flatMap(column ->
                        column.problem(options).map(problem -> "'" + column.path() + "', " + problem).stream())
                .findFirst();
    }

    /** Returns the text of a value; empty if it, or a part of it, is null. */
    Optional<String> of(@Nullable Object value, SharedSessionContractImplementor session) {
        return of(part, value, session);
    }

    /** Returns the text of a value as Hibernate's snapshots of rows have it: an association is its key. */
    Optional<String> ofSnapshot(@Nullable Object value, SharedSessionContractImplementor session) {
        return of(
                part instanceof ToOneAttributeMapping association
                        ? association.getForeignKeyDescriptor().getKeyPart()
                        : part,
                value,
                session);
    }

    private Optional<String> of(ModelPart mapping, @Nullable Object value, SharedSessionContractImplementor session) {
        if (value == null) {
            return Optional.empty();
        }
        List<@Nullable Object> values = new ArrayList<>();
        mapping.breakDownJdbcValues(value, (i, each, column) -> values.add(each), session);
        return ofColumns(values, session);
    }

    /** Returns the text of what an insert binds to the columns; empty if one gets nothing. */
    Optional<String> ofInserted(KeyBindings bindings, SharedSessionContractImplementor session) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Column column : columns) {
            values.add(bindings.inserted(
                    table(column.selectable()), column.selectable().getSelectionExpression()));
        }
        return ofColumns(values, session);
    }

    /** Returns the text of column values; empty if one is null. */
    Optional<String> ofColumns(List<? extends @Nullable Object> values, SharedSessionContractImplementor session) {
        if (values.size() != columns.size() || values.contains(null)) {
            return Optional.empty();
        }
        List<StoredColumn> known = stored(session);
        List<Object> key = IntStream.range(0, values.size())
                .boxed()
                .sorted(Comparator.comparing(i -> columns.get(i).path()))
                .map(i -> known.get(i).canonical(columns.get(i).bound(values.get(i), session)))
                .toList();
        return Optional.of(isAlone || key.size() > 1 ? ResourceKey.text(key) : ResourceKey.part(key.get(0)));
    }

    private List<StoredColumn> stored(SharedSessionContractImplementor session) {
        List<StoredColumn> known = stored.get();
        if (known == null) {
            known = session.doReturningWork(connection -> read(connection, session));
            stored.set(known);
        }
        return known;
    }

    private List<StoredColumn> read(Connection connection, WrapperOptions options) throws SQLException {
        List<StoredColumn> read = new ArrayList<>();
        for (Column column : columns) {
            read.add(StoredColumn.read(
                    connection,
                    table(column.selectable()),
                    column.selectable().getSelectionExpression(),
                    column.boundType(options)));
        }
        return List.copyOf(read);
    }

    private String table(SelectableMapping column) {
        return name.equals(ResourceTemplate.ID)
                ? persister.getIdentifierTableMapping().getTableName()
                : persister.physicalTableNameForMutation(column);
    }

    /** Returns the names of the columns. */
    List<String> columnNames() {
        return columns.stream()
                .map(column -> column.selectable().getSelectionExpression())
                .toList();
    }
}
