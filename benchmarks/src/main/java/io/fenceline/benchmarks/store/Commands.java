package io.fenceline.benchmarks.store;

/** Finds the commands in what one client sends over one connection. */
interface Commands {

    /** Reads on and returns how many commands began here. */
    int in(byte[] bytes, int length);

    /** Returns a reader of a new connection to a store. */
    static Commands of(Store store) {
        return store == Store.REDIS ? new RedisCommands() : new PostgresCommands();
    }
}
