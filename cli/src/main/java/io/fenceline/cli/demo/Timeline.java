package io.fenceline.cli.demo;

import io.fenceline.time.Ticker;
import java.io.PrintWriter;
import java.util.Locale;

/** Prints the events of the demo with their times. */
final class Timeline {

    /** The colour of a line, as an ANSI number. */
    enum Tone {
        PLAIN(0),
        HOLDS(36),
        STOPPED(33),
        BAD(31),
        GOOD(32);

        private final int colour;

        Tone(int colour) {
            this.colour = colour;
        }
    }

    private final PrintWriter out;
    private final boolean coloured;
    private final Ticker ticker;
    private final long began;

    Timeline(PrintWriter out, boolean coloured, Ticker ticker) {
        this.out = out;
        this.coloured = coloured;
        this.ticker = ticker;
        this.began = ticker.nanos();
    }

    void heading(String text) {
        out.println();
        out.println(paint(text, "1"));
    }

    /** Prints an event with its time. */
    void event(String who, Tone tone, String what) {
        double seconds = (ticker.nanos() - began) / 1e9;
        String line = String.format(Locale.ROOT, "  %6.2f s  %-8s  %s", seconds, who, what);
        out.println(tone == Tone.PLAIN ? line : paint(line, String.valueOf(tone.colour)));
        out.flush();
    }

    void verdict(boolean asExpected, String text) {
        out.println(paint("  => " + text, asExpected ? "1" : "1;31"));
    }

    private String paint(String text, String code) {
        return coloured ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
