package io.fenceline.benchmarks.report;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.measure.Numbers;
import java.util.ArrayList;
import java.util.List;

/** The few figures that most readers want, and how far they are from what we aim at. */
public final class Overview {

    private static final List<String> TITLES = List.of(
            "contender",
            "trips, acquire + release",
            "cycles/s, 1 thread (× raw)",
            "16 threads (× raw)",
            "2 JVMs, 0 ms: grants/s",
            "turnover p50 µs",
            "commands per grant",
            "2 JVMs, 2 ms: grants/s",
            "fewest ÷ most",
            "longest wait ms",
            "wake-up p50 µs");

    private static final String TWO_BUSY = "contended-2x8-0ms";
    private static final String TWO_SECTIONS = "contended-2x8-2ms";

    private Overview() {}

    /** Returns a table of contenders and one of aims. */
    public static String section(Findings found, List<Contender> contenders) {
        StringBuilder text = new StringBuilder(Tables.row(TITLES))
                .append("|---".repeat(TITLES.size()))
                .append("|\n");
        contenders.forEach(contender -> text.append(Tables.row(cells(found, contender))));
        return text.append('\n').append(Aim.table(found)).toString();
    }

    private static List<String> cells(Findings found, Contender contender) {
        String name = contender.name();
        List<String> cells = new ArrayList<>();
        cells.add(Tables.shown(contender));
        cells.add(
                contender.store().remote()
                        ? text(found, "costs", name, "acquire trips") + " + "
                                + text(found, "costs", name, "release trips")
                        : text(found, "costs", name, "acquire trips"));
        cells.add(cycles(found, "uncontended-1", contender));
        cells.add(cycles(found, "uncontended-16", contender));
        cells.add(text(found, TWO_BUSY, name, "grants/s"));
        cells.add(text(found, TWO_BUSY, name, "turnover p50"));
        cells.add(text(found, TWO_BUSY, name, "commands"));
        cells.add(text(found, TWO_SECTIONS, name, "grants/s"));
        cells.add(text(found, TWO_SECTIONS, name, "fewest/most"));
        cells.add(text(found, TWO_SECTIONS, name, "longest wait"));
        cells.add(text(found, "wake-up", name, "cross turnover p50"));
        return cells;
    }

    private static String cycles(Findings found, String measure, Contender contender) {
        String cycles = text(found, measure, contender.name(), "cycles/s");
        return contender
                .floor()
                .map(floor -> found.ratio(measure, contender.name(), "cycles/s", floor.name()))
                .filter(Double::isFinite)
                .map(ratio -> cycles + " (" + Numbers.text(ratio) + ")")
                .orElse(cycles);
    }

    private static String text(Findings found, String measure, String contender, String number) {
        return Numbers.text(found.median(measure, contender, number));
    }
}
