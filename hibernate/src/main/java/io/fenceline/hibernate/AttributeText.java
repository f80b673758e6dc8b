package io.fenceline.hibernate;

import io.fenceline.guard.ResourceKey;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.jspecify.annotations.Nullable;

/**
 * Formats an identifier or attribute for resource names: the {@link ResourceKey} text of its column values. A converted attribute
 * is its database value, an association its key, an embedded value its attributes in alphabetical order of their names. Enums are the
 * names of their constants.
 *
 * @param name as in the template
 * @param part Hibernate's mapping
 * @param columns in Hibernate's order of JDBC values
 */
record AttributeText(String name, ModelPart part, List<Column> columns) {

    private record Column(String path, SelectableMapping selectable) {

        /** Returns the type of the formatted values. */
        Class<?> type() {
            JdbcMapping mapping = selectable.getJdbcMapping();
            Class<?> domain = mapping.getMappedJavaType().getJavaTypeClass();
            return mapping.getValueConverter() == null || domain.isEnum()
                    ? domain
                    : mapping.getValueConverter().getRelationalJavaType().getJavaTypeClass();
        }

        boolean isNamed() {
            Class<?> type = type();
            return !selectable.isFormula()
                    && (type.isPrimitive()
                            ? type != double.class && type != float.class
                            : ResourceKey.isSupported(type));
        }

        Object named(Object value) {
            if (type().isEnum() && !(value instanceof Enum<?>)) {
                return selectable.getJdbcMapping().convertToDomainValue(value);
            }
            Integer scale = selectable.getScale();
            if (scale != null
                    && value instanceof BigDecimal number
                    && number.stripTrailingZeros().scale() > scale) {
                throw new IllegalArgumentException("the database rounds " + number.toPlainString() + " of '" + path
                        + "' to " + scale + " digits after the point, so that the row would have another name");
            }
            return value;
        }
    }

    static AttributeText of(String name, ModelPart part) {
        List<Column> columns = new ArrayList<>();
        collect(name, part, columns);
        return new AttributeText(name, part, List.copyOf(columns));
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

    /** Returns a description of a part without a canonical text, if any. */
    Optional<String> problem() {
        if (columns.isEmpty()) {
            return Optional.of("'" + name + "', which has no column of its own");
        }
        return columns.stream()
                .filter(column -> !column.isNamed())
                .map(column -> "'" + column.path() + "', whose "
                        + (column.selectable().isFormula()
                                ? "value is a formula"
                                : "type " + column.type().getTypeName())
                        + " has no canonical text")
                .findFirst();
    }

    /** Returns the text of a value; empty if it, or a part of it, is null. */
    Optional<String> of(@Nullable Object value, SharedSessionContractImplementor session) {
        if (value == null) {
            return Optional.empty();
        }
        List<@Nullable Object> values = new ArrayList<>();
        part.breakDownJdbcValues(value, (i, each, column) -> values.add(each), session);
        return ofColumns(values);
    }

    /** Returns the text of column values; empty if one is null. */
    Optional<String> ofColumns(List<? extends @Nullable Object> values) {
        if (values.size() != columns.size() || values.contains(null)) {
            return Optional.empty();
        }
        return Optional.of(ResourceKey.text(IntStream.range(0, values.size())
                .boxed()
                .sorted(Comparator.comparing(i -> columns.get(i).path()))
                .map(i -> columns.get(i).named(values.get(i)))
                .toList()));
    }

    /** Returns the names of the columns. */
    List<String> columnNames() {
        return columns.stream()
                .map(column -> column.selectable().getSelectionExpression())
                .toList();
    }
}
