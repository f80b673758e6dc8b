package io.fenceline.benchmarks.report;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.contender.Contenders;
import io.fenceline.benchmarks.measure.Figures;
import io.fenceline.benchmarks.measure.Outcome;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * All outcomes of a run, asked by name. What was not measured is NaN.
 *
 * @param outcomes of each measure that was taken
 */
public record Findings(List<Outcome> outcomes) {

    /** Returns the median of a number. */
    double median(String measure, String contender, String number) {
        return of(measure, contender).median(number);
    }

    /** Returns the median of the ratios of a number to that of another contender in the same round. */
    double ratio(String measure, String contender, String number, String other) {
        return of(measure, contender).ratio(number, of(measure, other), 0.5);
    }

    /** Returns the smallest of the ratios to several others. */
    double smallestRatio(String measure, String contender, String number, String... others) {
        return DoubleStream.of(List.of(others).stream()
                        .mapToDouble(other -> ratio(measure, contender, number, other))
                        .toArray())
                .min()
                .orElse(Double.NaN);
    }

    private Figures of(String measure, String name) {
        Contender contender = Contenders.named(name);
        return outcomes.stream()
                .filter(outcome -> outcome.measure().name().equals(measure))
                .map(Outcome::figures)
                .findFirst()
                .orElse(Map.of())
                .getOrDefault(contender, new Figures());
    }
}
