package io.fenceline.testkit;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.RefusedWriteException;
import java.util.Optional;
import java.util.function.Function;

/** Texts by the name of their resource, behind a guard: the least that every guarded place can be seen as. */
public interface GuardedData {

    /**
     * Returns the guard.
     *
     * @return the guard that all writes pass
     */
    FenceGuard guard();

    /**
     * Creates or replaces a text.
     *
     * @param resource its name
     * @param stamp the writer's
     * @param value the new text
     * @throws RefusedWriteException if the guard refuses; nothing is changed
     */
    void write(String resource, FenceStamp stamp, String value);

    /**
     * Replaces a text by what the function makes of it. Not one step: it is read, then written under the guard, as a program
     * does that reads, computes and writes.
     *
     * @param resource its name
     * @param stamp the writer's
     * @param change makes the new text of the old one
     * @throws RefusedWriteException if the guard refuses; nothing is changed
     */
    default void change(String resource, FenceStamp stamp, Function<Optional<String>, String> change) {
        write(resource, stamp, change.apply(read(resource)));
    }

    /**
     * Deletes a text. Deleting what is not there is not an error.
     *
     * @param resource its name
     * @param stamp the writer's
     * @throws RefusedWriteException if the guard refuses; nothing is changed
     */
    void delete(String resource, FenceStamp stamp);

    /**
     * Reads a text, without a guard.
     *
     * @param resource its name
     * @return the text, or empty if there is none
     */
    Optional<String> read(String resource);
}
