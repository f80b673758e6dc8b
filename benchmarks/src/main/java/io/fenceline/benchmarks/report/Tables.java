package io.fenceline.benchmarks.report;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.contender.Contenders;
import io.fenceline.benchmarks.measure.Column;
import io.fenceline.benchmarks.measure.Figures;
import io.fenceline.benchmarks.measure.Measure;
import io.fenceline.benchmarks.measure.Outcome;
import java.util.ArrayList;
import java.util.List;

/** Writes what a measure found in Markdown. */
public final class Tables {

    private Tables() {}

    /** Returns a section: heading, explanation, table, and what did not come to an end. */
    public static String section(Outcome outcome, int rounds) {
        Measure measure = outcome.measure();
        StringBuilder text = new StringBuilder("### " + measure.title() + "\n\n" + measure.explanation() + "\n");
        text.append(rounds == 1 ? "One round.\n\n" : "Medians of " + rounds + " interleaved rounds.\n\n");
        List<String> titles = new ArrayList<>(List.of("contender"));
        measure.columns().forEach(column -> titles.add(column.title()));
        text.append(row(titles)).append("|---".repeat(titles.size())).append("|\n");
        List<String> failures = new ArrayList<>();
        outcome.figures().forEach((contender, figures) -> {
            text.append(row(cells(outcome, contender, figures)));
            figures.failures().forEach(failure -> failures.add("- " + contender.name() + ", " + failure));
        });
        if (!failures.isEmpty()) {
            text.append("\nRounds that did not come to an end:\n\n")
                    .append(String.join("\n", failures))
                    .append('\n');
        }
        return text.toString();
    }

    private static List<String> cells(Outcome outcome, Contender contender, Figures own) {
        Figures floor = contender.floor().map(outcome.figures()::get).orElseGet(Figures::new);
        List<String> cells = new ArrayList<>();
        cells.add(shown(contender));
        for (Column column : outcome.measure().columns()) {
            cells.add(column.cell().of(contender, own, floor));
        }
        return cells;
    }

    /** Returns a contender's name, ours in bold. */
    static String shown(Contender contender) {
        String name = contender.name();
        return name.startsWith(Contenders.OURS) ? "**" + name + "**" : name;
    }

    /** Returns a line of a table. */
    static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
