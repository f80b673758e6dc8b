package io.fenceline.examples.textbook;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Believes every writer. A lock in front of it does not help: the store cannot know that a lease has ended. */
public final class UnfencedStore {

    private final Map<String, String> values = new ConcurrentHashMap<>();

    /** Writes, whoever asks. */
    public void write(String name, String value) {
        values.put(name, value);
    }

    /** Reads what was written last. */
    public Optional<String> read(String name) {
        return Optional.ofNullable(values.get(name));
    }
}
