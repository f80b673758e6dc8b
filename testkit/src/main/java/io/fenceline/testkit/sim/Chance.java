package io.fenceline.testkit.sim;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** All chance of one run. Used by the running thread only, so the same seed gives the same draws. */
final class Chance {

    private final SplittableRandom random;

    Chance(long seed) {
        this.random = new SplittableRandom(seed);
    }

    boolean of(double probability) {
        return random.nextDouble() < probability;
    }

    double fraction() {
        return random.nextDouble();
    }

    double between(double low, double high) {
        return low + (high - low) * random.nextDouble();
    }

    /** A number from 0 to below the bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    long nanosBetween(Duration low, Duration high) {
        return random.nextLong(low.toNanos(), high.toNanos() + 1);
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
