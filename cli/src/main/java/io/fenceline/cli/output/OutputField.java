package io.fenceline.cli.output;

import org.jspecify.annotations.Nullable;

/**
 * One field of a command's result.
 *
 * @param name its name in JSON
 * @param label the heading of its line or column; null if it is left out of text
 * @param value its JSON value: a text, a number or a boolean; null if there is none
 * @param text its value in text
 */
public record OutputField(
        String name, @Nullable String label, @Nullable Object value, String text) {

    /** A text that is the same in JSON and text. */
    public static OutputField of(String name, String label, String text) {
        return new OutputField(name, label, text, Printable.of(text));
    }

    /** A text that may be absent: null in JSON, {@code absent} in text. */
    public static OutputField orElse(String name, String label, @Nullable String text, String absent) {
        return new OutputField(name, label, text, text == null ? absent : Printable.of(text));
    }

    /** A field of the JSON alone. */
    public static OutputField forPrograms(String name, Object value) {
        return new OutputField(name, null, value, "");
    }
}
