package io.fenceline.hibernate;

import java.util.Set;

/** What the generated entities of {@link HibernateMatrixTest} have in common. */
public interface MatrixRow {

    /** Returns the identifier. */
    Object key();

    /** Sets the identifier where the program assigns it. */
    void number(long number);

    /** Sets the attribute of the first table. */
    void text(String text);

    /** Sets the attribute of the subclass or of the secondary table, where there is one. */
    void own(String own);

    /** Returns the collection of elements. */
    Set<String> tags();
}
