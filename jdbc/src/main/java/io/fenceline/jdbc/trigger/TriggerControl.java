package io.fenceline.jdbc.trigger;

import io.fenceline.BackendException;
import java.util.List;

/**
 * Guards the tables of a store's database by triggers, so that also code that never heard of tokens cannot write without
 * one. A lock backend whose database has triggers offers it as an ability.
 */
public interface TriggerControl {

    /**
     * Guards a table. Guarding it again, also in another mode or under another rule, replaces what is there and keeps all
     * fences and counts. All or nothing. Names of rows cannot change, since fences are found by them.
     *
     * @param table the table
     * @return what an operator should know of this installation, a sentence each; usually empty
     * @throws BackendException if the database refuses, for instance since the table was guarded with another prefix or key, or a key
     *     column is of a type whose equal values have no text in common
     * @throws IllegalArgumentException if there is no such table or column
     */
    List<String> install(GuardedTable table);

    /**
     * Ends the guarding of a table. Fences and counts stay. Does nothing if it is not guarded.
     *
     * @param table the table as SQL writes it
     * @throws BackendException if the database refuses
     * @throws IllegalArgumentException if there is no such table
     */
    void remove(String table);

    /**
     * Tells what observing triggers have let pass.
     *
     * @return the kinds of writes, by table, operation and reason; empty also if no table was ever observed
     * @throws BackendException if the database fails
     */
    List<ObservedWrites> observed();
}
