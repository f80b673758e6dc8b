package io.fenceline.jdbc.product;

import io.fenceline.spi.SchemaControl;

/** The tables of a layout. Tables of the same names that belong to another program are refused. */
public interface StoreSchema extends SchemaControl {

    /**
     * Checks whether there is anything to make. Changes nothing.
     *
     * @return false if something is missing; a difference that installing does not mend may count as missing
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
