package io.fenceline.spi;

import java.util.List;

/** Prints, installs and checks the tables of a backend. */
public interface SchemaControl {

    /**
     * Returns the DDL of the backend, for review or for a migration tool.
     *
     * @return the statements
     */
    String schemaScript();

    /**
     * Creates what is missing and changes nothing else.
     *
     * @throws io.fenceline.BackendException if the store refuses
     */
    void installSchema();

    /**
     * Compares the store with what the backend needs.
     *
     * @return one line for each difference; empty if all is well
     */
    List<String> schemaProblems();
}
