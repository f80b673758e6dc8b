package io.fenceline.hibernate;

import io.fenceline.guard.ResourceKey;
import io.fenceline.hibernate.MatrixEntities.Identifier;
import io.fenceline.hibernate.MatrixEntities.Inheritance;
import java.util.List;
import org.hibernate.Hibernate;
import org.hibernate.Session;
import org.hibernate.SessionFactory;

/**
 * One row of one mapping, for one operation.
 *
 * @param store where it is
 * @param sessions of its mapping
 * @param mapping of the row
 * @param id the row's
 * @param number differs from those of all other cells; the identifier of what is inserted, where that is assigned
 * @param text what the row's attribute holds, as no other row's
 */
record MatrixCell(
        Store store, SessionFactory sessions, MatrixEntities.Mapping mapping, Object id, long number, String text) {

    static MatrixRow make(MatrixEntities.Mapping mapping, long number, String text) {
        try {
            MatrixRow row = mapping.leaf().getDeclaredConstructor().newInstance();
            row.number(number);
            row.text(text);
            row.own("first");
            row.tags().add("first");
            return row;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    MatrixRow newRow() {
        return make(mapping, number, text);
    }

    MatrixRow managed(Session session) {
        return session.find(mapping.leaf(), id);
    }

    MatrixRow detached() {
        return sessions.fromSession(session -> {
            MatrixRow row = session.find(mapping.leaf(), id);
            Hibernate.initialize(row.tags());
            return row;
        });
    }

    MatrixRow changed(MatrixRow row) {
        row.text(text + " changed");
        row.own("changed");
        return row;
    }

    /** Returns the table that has the version. */
    String table() {
        return mapping.inheritance() == Inheritance.TABLE_PER_CLASS
                        || mapping.inheritance() == Inheritance.MAPPED_SUPERCLASS
                ? mapping.table() + "sub"
                : mapping.table();
    }

    /** Returns a query with results that writes, as the product has it. */
    String writingQuery() {
        String update = "update " + table() + " set version = 9 where version = 0";
        return switch (store) {
            case POSTGRESQL -> "with changed as (" + update + " returning version) select version from changed";
            case MARIADB -> "delete from " + mapping.table() + "_tags returning 1";
            case H2 -> "select version from final table (" + update + ")";
        };
    }

    /** Returns the name of the resource that is the row of a number. */
    static String resource(MatrixEntities.Mapping mapping, Object id, long number) {
        return mapping.table() + "/"
                + (mapping.identifier() == Identifier.EMBEDDED
                        ? ResourceKey.text(List.of(number, "a/b"))
                        : ResourceKey.text(id));
    }
}
