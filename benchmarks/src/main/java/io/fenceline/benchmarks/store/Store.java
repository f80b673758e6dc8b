package io.fenceline.benchmarks.store;

/** The stores in which contenders keep locks. */
public enum Store {
    /** The heap of one JVM. */
    MEMORY("memory"),
    /** A file, flushed at each commit. */
    SQLITE("SQLite"),
    /** A server without persistence. */
    REDIS("Redis"),
    /** A server that flushes at each commit. */
    POSTGRESQL("PostgreSQL");

    private final String title;

    Store(String title) {
        this.title = title;
    }

    /** Returns its name for people. */
    public String title() {
        return title;
    }

    /** Returns whether several processes can share it. */
    public boolean shared() {
        return this != MEMORY;
    }

    /** Returns whether a server of its own keeps it, so that there is a wire between. */
    public boolean remote() {
        return this == REDIS || this == POSTGRESQL;
    }
}
