package io.fenceline.benchmarks.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.DoubleStream;

/** One contender's results under one measure: named numbers for each round. For one thread. */
public final class Figures {

    private final Map<Integer, Map<String, Double>> rounds = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();

    /** Adds a round; a number that is not known is NaN or left out. */
    public void add(int round, Map<String, Double> numbers) {
        rounds.put(round, numbers);
    }

    /** Adds a round that came to no end. */
    public void fail(int round, String reason) {
        failures.add("round " + round + ": " + reason);
    }

    /** Returns the numbers by round; round 0 is the warm-up, which may have numbers of its own. */
    public Map<Integer, Map<String, Double>> rounds() {
        return rounds;
    }

    /** Returns why rounds came to no end. */
    public List<String> failures() {
        return failures;
    }

    /** Returns the median of a number over the rounds that have it. */
    public double median(String name) {
        return quantile(all(name), 0.5);
    }

    /** Returns the greatest. */
    public double max(String name) {
        return or(all(name).max());
    }

    /** Returns the least. */
    public double min(String name) {
        return or(all(name).min());
    }

    /** Returns all together. */
    public double sum(String name) {
        double[] numbers = all(name).toArray();
        return numbers.length == 0 ? Double.NaN : Arrays.stream(numbers).sum();
    }

    /** Returns a quantile of the ratios to another contender's number in the same round. */
    public double ratio(String name, Figures floor, double share) {
        return quantile(paired(name, floor, (own, other) -> own / other), share);
    }

    private DoubleStream paired(String name, Figures other, DoubleBinaryOperator operator) {
        return rounds.keySet().stream()
                .mapToDouble(round -> operator.applyAsDouble(number(round, name), other.number(round, name)))
                .filter(Double::isFinite);
    }

    private DoubleStream all(String name) {
        return rounds.keySet().stream()
                .mapToDouble(round -> number(round, name))
                .filter(Double::isFinite);
    }

    private double number(int round, String name) {
        return rounds.getOrDefault(round, Map.of()).getOrDefault(name, Double.NaN);
    }

    private static double or(OptionalDouble number) {
        return number.orElse(Double.NaN);
    }

    /** Between two neighbours it takes their mean in proportion. */
    private static double quantile(DoubleStream numbers, double share) {
        double[] sorted = numbers.sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double at = share * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }
}
