package io.fenceline.jdbc.product;

/** The tables that the locks are in, with the statements that know their columns. */
public interface TableLayout {

    /** Returns the table with the locks. */
    LockTable table();

    /**
     * Returns how a product works on these tables.
     *
     * @throws IllegalArgumentException if the product cannot have such tables
     */
    LockDialect of(LockDialect product);

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
