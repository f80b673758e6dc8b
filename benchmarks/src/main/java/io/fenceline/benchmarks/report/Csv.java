package io.fenceline.benchmarks.report;

import io.fenceline.benchmarks.measure.Outcome;

/** Writes every number of every round, one a line. */
public final class Csv {

    /** The first line. */
    public static final String HEADER = "measure,contender,round,number,value\n";

    private Csv() {}

    /** Returns the lines of a measure. */
    public static String lines(Outcome outcome) {
        StringBuilder text = new StringBuilder();
        outcome.figures()
                .forEach((contender, figures) -> figures.rounds()
                        .forEach((round, numbers) -> numbers.forEach((name, value) -> text.append(String.join(
                                        ",",
                                        outcome.measure().name(),
                                        contender.name(),
                                        Integer.toString(round),
                                        name,
                                        Double.toString(value)))
                                .append('\n'))));
        return text.toString();
    }
}
