package io.fenceline.benchmarks.report;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.contender.Contenders;
import io.fenceline.benchmarks.measure.Figures;
import io.fenceline.benchmarks.measure.Numbers;
import io.fenceline.benchmarks.measure.Outcome;
import io.fenceline.benchmarks.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Draws the headline number of a measure as horizontal bars, in SVG: a panel for each store, with a scale of its own. */
public final class Plot {

    private static final int WIDTH = 760;
    private static final int LABELS = 190;
    private static final int BARS = WIDTH - LABELS - 90;
    private static final int ROW = 22;
    private static final int HEADING = 30;
    private static final String OURS = "#1f6feb";
    private static final String OTHERS = "#9aa4b0";

    private final StringBuilder svg = new StringBuilder();
    private int y = HEADING;

    private Plot() {}

    /** Returns the picture: bars are medians, thin lines go from the least round to the greatest. */
    public static String of(Outcome outcome) {
        Plot plot = new Plot();
        String number = outcome.measure().headline();
        plot.text(10, 20, "font-weight='bold'", outcome.measure().title() + ": " + number);
        plot.panels(outcome, number);
        return """
                <svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>
                <rect width='100%%' height='100%%' fill='white'/>
                %s</svg>
                """.formatted(WIDTH, plot.y + 10, plot.svg);
    }

    private void panels(Outcome outcome, String number) {
        Map<Store, List<Contender>> stores = new TreeMap<>();
        outcome.figures().forEach((contender, figures) -> {
            if (Double.isFinite(figures.median(number))) {
                stores.computeIfAbsent(contender.store(), unknown -> new ArrayList<>())
                        .add(contender);
            }
        });
        stores.forEach((store, contenders) -> {
            y += ROW;
            text(10, y - 6, "fill='#57606a'", store.title());
            double longest = contenders.stream()
                    .mapToDouble(contender -> outcome.figures().get(contender).max(number))
                    .max()
                    .orElse(1);
            contenders.forEach(contender -> bar(contender, outcome.figures().get(contender), number, longest));
        });
    }

    private void bar(Contender contender, Figures figures, String number, double longest) {
        boolean ours = contender.name().startsWith(Contenders.OURS);
        double median = figures.median(number);
        double scale = BARS / longest;
        text(LABELS - 8, y + 15, "text-anchor='end'" + (ours ? " font-weight='bold'" : ""), contender.name());
        line(
                "<rect x='%d' y='%d' width='%.1f' height='%d' fill='%s'/>",
                LABELS, y + 4, median * scale, ROW - 8, ours ? OURS : OTHERS);
        line(
                "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='black'/>",
                LABELS + figures.min(number) * scale, LABELS + figures.max(number) * scale, y + ROW / 2, y + ROW / 2);
        text(LABELS + (int) (figures.max(number) * scale) + 6, y + 15, "", Numbers.text(median));
        y += ROW;
    }

    private void text(int x, int y, String style, String text) {
        line(
                "<text x='%d' y='%d' %s>%s</text>",
                x, y, style, text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    private void line(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
