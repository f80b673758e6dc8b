package io.fenceline.benchmarks.measure;

import java.time.Duration;

/**
 * The number and length of the measured rounds.
 *
 * @param rounds how often each contender has its turn, after one turn to warm up
 * @param warmUp what goes before each window
 * @param window what counts in a round
 * @param cycles how many one after the other, where they are not timed but counted
 * @param steps how many, where each acquire and each release is counted for itself
 */
public record Pace(int rounds, Duration warmUp, Duration window, int cycles, int steps) {

    /** Returns what figures are published from. */
    public static Pace full() {
        return new Pace(5, Duration.ofMillis(400), Duration.ofMillis(1200), 1000, 20);
    }

    /** Returns what shows that everything runs; its figures say little. */
    public static Pace quick() {
        return new Pace(1, Duration.ofMillis(100), Duration.ofMillis(250), 200, 5);
    }

    /** Returns a copy with other rounds. */
    public Pace withRounds(int rounds) {
        return new Pace(rounds, warmUp, window, cycles, steps);
    }

    /** Returns a copy with another window. */
    public Pace withWindow(Duration window) {
        return new Pace(rounds, warmUp, window, cycles, steps);
    }
}
