package io.fenceline.hibernate;

import io.fenceline.FencingToken;
import java.util.Locale;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * The column in which a row keeps the greatest token that wrote it.
 *
 * @param column as Hibernate maps it
 * @param text whether it keeps 15 digits of text and not a number
 */
record FenceColumnMapping(SelectableMapping column, boolean text) {

    static @Nullable FenceColumnMapping of(EntityPersister persister) {
        for (int i = 0; i < persister.getPropertyNames().length; i++) {
            if (persister.getGenerators()[i] instanceof FenceGeneration) {
                return new FenceColumnMapping(
                        persister.getAttributeMapping(i).getSelectable(0),
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

    /** Returns what the column holds for a token. */
    Object value(FencingToken token) {
        return text ? token.text() : (Object) token.value();
    }

    /** Returns the token that the column holds, or 0 for none. */
    long token(@Nullable Object value) {
        if (value == null) {
            return 0;
        }
        return value instanceof String digits ? Long.parseLong(digits.trim()) : ((Number) value).longValue();
    }

    /** Returns what the column holds at most where a writer is admitted. */
    Object bound(long admitted) {
        return text ? String.format(Locale.ROOT, "%0" + FencingToken.DIGITS + "d", admitted) : (Object) admitted;
    }

    /** The condition that a row's fence is not above the bound. */
    String condition() {
        if (!column.isNullable()) {
            return name() + "<=?";
        }
        return "coalesce(" + name() + "," + (text ? "''" : "0") + ")<=?";
    }
}
