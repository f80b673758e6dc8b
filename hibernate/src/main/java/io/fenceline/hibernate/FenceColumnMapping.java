package io.fenceline.hibernate;

import io.fenceline.FencingToken;
import java.util.Locale;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * The column that stores the greatest token that wrote a row, as 15 digits of text or as a number.
 */
record FenceColumnMapping(SelectableMapping column, int property, boolean text) {

    static @Nullable FenceColumnMapping of(EntityPersister persister) {
        for (int i = 0; i < persister.getPropertyNames().length; i++) {
            if (persister.getGenerators()[i] instanceof FenceGeneration) {
                return new FenceColumnMapping(
                        persister.getAttributeMapping(i).getSelectable(0),
                        i,
                        persister.getPropertyTypes()[i].getReturnedClass() == String.class);
            }
        }
        return null;
    }

    String name() {
        return column.getSelectionExpression();
    }

    String table() {
        return column.getContainingTableExpression();
    }

    /** Returns the column value of a token. */
    Object value(FencingToken token) {
        return text ? token.text() : (Object) token.value();
    }

    /** Returns the token of a column value, or 0 for none. */
    long token(@Nullable Object value) {
        if (value == null) {
            return 0;
        }
        return value instanceof String digits ? Long.parseLong(digits.trim()) : ((Number) value).longValue();
    }

    /** Returns the greatest column value at which a writer is admitted. */
    Object bound(long admitted) {
        return text ? String.format(Locale.ROOT, "%0" + FencingToken.DIGITS + "d", admitted) : (Object) admitted;
    }

    /** Returns the SQL condition that a row's fence is at most the bound. */
    String condition() {
        if (!column.isNullable()) {
            return name() + "<=?";
        }
        return "coalesce(" + name() + "," + (text ? "''" : "0") + ")<=?";
    }
}
