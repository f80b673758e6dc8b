package io.fenceline.jdbc.dialect;

/** The tables that the locks are in, with the statements that know their columns. */
public interface TableLayout {

    /**
     * Returns the table with the locks.
     *
     * @return its name
     */
    LockTable table();

    /**
     * Returns how a product works on these tables.
     *
     * @param product the product that the database is
     * @return the dialect to use
     * @throws IllegalArgumentException if the product cannot have such tables
     */
    Dialect of(Dialect product);

    /**
     * Returns whether the tables belong to another program. Opening a store never makes those: if they are missing, the name is wrong
     * or that program was never installed.
     *
     * @return false unless overridden
     */
    default boolean isShared() {
        return false;
    }
}
