package io.fenceline.spi;

import java.util.List;

/** The ability of a backend that needs tables to print, make and check them. */
public interface SchemaControl {

    /**
     * Returns the statements that make what the backend needs, for review or for a migration tool.
     *
     * @return statements in the store's own language
     */
    String schemaScript();

    /**
     * Makes what is missing and changes nothing else.
     *
     * @throws io.fenceline.BackendException if the store refuses
     */
    void installSchema();

    /**
     * Compares the store with what the backend needs.
     *
     * @return a line for each thing that is missing or different; empty if all is well
     */
    List<String> schemaProblems();
}
