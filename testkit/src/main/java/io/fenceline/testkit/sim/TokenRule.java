package io.fenceline.testkit.sim;

/** The rule by which a register takes a token. */
@FunctionalInterface
interface TokenRule {

    /** The rule of the guards: no token below the highest. */
    TokenRule AT_LEAST = (highest, token) -> token >= highest;

    /** No rule: the register that shows what fencing is for. */
    TokenRule NONE = (highest, token) -> true;

    boolean admits(long highest, long token);
}
