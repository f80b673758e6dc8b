package io.fenceline.jdbc.trigger;

import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * Writes the DDL of triggers that guard a table, for one database product. It only writes text and touches no database.
 *
 * <p>A service: those on the class path are found by {@link #named}.
 */
public interface TriggerDialect {

    /**
     * Returns the product.
     *
     * @return its name in lower case, for instance {@code postgresql}
     */
    String name();

    /**
     * Returns the dialect for other fences.
     *
     * @param fences the table with the fences, after its schema and a dot
     * @return the dialect
     * @throws IllegalArgumentException if the name cannot be one, or the product's triggers have their fences in one place only
     */
    default TriggerDialect withFences(String fences) {
        throw new IllegalArgumentException("triggers of " + name() + " have their fences in fenceline_fences");
    }

    /**
     * Writes what guards a table. Running it again, also for another mode or rule, replaces what is there and keeps all
     * fences and counts. Names of rows cannot change: the statements fail if the table was guarded with another prefix or key.
     *
     * @param table the table
     * @return statements that are to be run in one transaction
     * @throws IllegalArgumentException if the table's or a column's name cannot be one
     */
    String installation(GuardedTable table);

    /**
     * Writes what ends the guarding of a table. Fences and counts stay. Running it again does nothing.
     *
     * @param table the table as SQL writes it
     * @return statements that are to be run in one transaction
     * @throws IllegalArgumentException if the table's name cannot be one
     */
    String removal(String table);

    /**
     * Makes a script for the database's own shell: one transaction, of which nothing stays after an error.
     *
     * @param statements those of an installation or a removal
     * @return the script
     */
    default String script(String statements) {
        return "BEGIN;\n" + statements + "COMMIT;\n";
    }

    /**
     * Finds a dialect.
     *
     * @param name of the product, in any case
     * @return the dialect
     * @throws IllegalArgumentException if there is none of this name; the message lists the others
     */
    static TriggerDialect named(String name) {
        List<TriggerDialect> all = ServiceLoader.load(TriggerDialect.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        return all.stream()
                .filter(dialect -> dialect.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no triggers for '" + name + "'; there are: "
                        + all.stream().map(TriggerDialect::name).sorted().collect(Collectors.joining(", "))));
    }
}
