package io.fenceline.benchmarks.measure;

import java.util.Locale;

/** Writes numbers as tables show them: three digits that count, thousands set apart. */
public final class Numbers {

    private Numbers() {}

    /** Returns the text of two numbers, from one to the other. */
    static String range(double low, double high) {
        return Double.isFinite(low) ? text(low) + "–" + text(high) : "–";
    }

    /** Returns the text of a number; a dash if it is not known. */
    public static String text(double number) {
        double size = Math.abs(number);
        if (!Double.isFinite(number)) {
            return "–";
        } else if (size >= 99.95 || number == Math.rint(number)) {
            return String.format(Locale.ROOT, "%,d", Math.round(number)).replace(',', ' ');
        } else {
            return String.format(Locale.ROOT, size >= 9.995 ? "%.1f" : "%.2f", number);
        }
    }
}
