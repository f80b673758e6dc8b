package io.fenceline.benchmarks.guards;

/** A write to a row, key or stream of a thread's own. */
interface Write {

    /** Writes once, and returns when the store has it. */
    void run(int thread) throws Exception;
}
