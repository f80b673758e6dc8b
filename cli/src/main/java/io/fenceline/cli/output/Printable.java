package io.fenceline.cli.output;

/** Escapes control characters in text from other sources, for the terminal. */
public final class Printable {

    private Printable() {}

    /** Escapes control and format characters, so that none moves the cursor or breaks the line. */
    public static String of(String text) {
        if (text.codePoints().noneMatch(Printable::isUnsafe)) {
            return text;
        }
        StringBuilder safe = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (isUnsafe(c)) {
                safe.append("\\u").append(String.format("%04x", c));
            } else {
                safe.appendCodePoint(c);
            }
        });
        return safe.toString();
    }

    private static boolean isUnsafe(int c) {
        return Character.isISOControl(c)
                || Character.getType(c) == Character.FORMAT
                || Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
    }
}
