package io.fenceline.testkit.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** A resource: one counter for each lock key, which the holders of the lock read and then raise by one. */
final class Register {

    private final String name;
    private final TokenRule fence;
    private final History history;
    private final Map<String, Cell> cells = new HashMap<>();

    Register(String name, TokenRule fence, History history) {
        this.name = name;
        this.fence = fence;
        this.history = history;
    }

    /** Reads the value in order to change it, which claims the register; empty if the token is stale. */
    OptionalLong claim(String key, long token) {
        Cell cell = cellOf(key);
        boolean accepted = admits(cell, token);
        history.add(name, new Event.Read(name, key, token, accepted));
        return accepted ? OptionalLong.of(cell.value) : OptionalLong.empty();
    }

    /** Raises the value by one from what its writer has read; returns false if the token is stale. */
    boolean raise(String key, long token, long expected) {
        Cell cell = cellOf(key);
        boolean accepted = admits(cell, token);
        history.add(name, new Event.Wrote(name, key, token, expected, cell.value, accepted));
        if (accepted) {
            cell.value = expected + 1;
        }
        return accepted;
    }

    private Cell cellOf(String key) {
        return cells.computeIfAbsent(key, absent -> new Cell());
    }

    private boolean admits(Cell cell, long token) {
        boolean admitted = fence.admits(cell.highest, token);
        cell.highest = Math.max(cell.highest, token);
        return admitted;
    }

    private static final class Cell {
        private long highest;
        private long value;
    }
}
