package io.fenceline.testkit.sim;

/** The rule by which a register takes a token. */
@FunctionalInterface
interface Fence {

    /** The rule of the guards: no token below the highest. */
    Fence AT_LEAST = (highest, token) -> token >= highest;

    /** No rule: the register that shows what fencing is for. */
    Fence NONE = (highest, token) -> true;

    boolean admits(long highest, long token);
}
