package io.fenceline.jdbc.dialect;

import io.fenceline.spi.SchemaControl;

/** The tables of a layout, which are told from tables of the same name that are somebody else's. */
public interface StoreSchema extends SchemaControl {

    /**
     * Looks whether there is anything to make. Changes nothing.
     *
     * @return whether nothing is missing; types are not compared
     * @throws io.fenceline.BackendException if a table has one of the names and not the columns of this layout, or the database
     *     cannot be asked
     */
    boolean isComplete();

    /**
     * {@inheritDoc} A role that may not create anything can call it where nothing is missing.
     *
     * @throws io.fenceline.BackendException as {@link #isComplete} does, before anything is made, or if the database refuses
     */
    @Override
    void installSchema();
}
