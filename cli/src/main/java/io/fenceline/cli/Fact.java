package io.fenceline.cli;

import org.jspecify.annotations.Nullable;

/**
 * One thing that a command tells: under a name for programs and a label for people.
 *
 * @param name the field in JSON
 * @param label the heading of its line or column; null if people are not told
 * @param value a text, a number or a truth value; null if there is none
 * @param text what people read
 */
record Fact(String name, @Nullable String label, @Nullable Object value, String text) {

    /** A text that is the same for programs and people. */
    static Fact of(String name, String label, String text) {
        return new Fact(name, label, text, Printable.of(text));
    }

    /** A value that programs read and people do not need. */
    static Fact forPrograms(String name, Object value) {
        return new Fact(name, null, value, "");
    }
}
