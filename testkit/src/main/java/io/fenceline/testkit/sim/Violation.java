package io.fenceline.testkit.sim;

/**
 * A broken promise, and the line of the history that shows it.
 *
 * @param promise which one, as numbered in docs/guarantees.md where it is
 * @param explanation what is wrong
 * @param line where in the history, from 0
 */
record Violation(String promise, String explanation, int line) {

    @Override
    public String toString() {
        return promise + ": " + explanation;
    }
}
