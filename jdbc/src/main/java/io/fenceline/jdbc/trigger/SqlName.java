package io.fenceline.jdbc.trigger;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A name as SQL writes it: {@code orders}, {@code sales.orders} or {@code "Order lines"}. Spliced into statements only in
 * double quotes.
 *
 * @param parts what the dots separate, without quotes
 */
record SqlName(List<String> parts) {

    private static final Pattern PART =
            Pattern.compile("\\G(?:([\\p{L}_][\\p{L}\\p{N}_$]*)|\"((?:[^\"]|\"\")+)\")(\\.|$)");

    /** Converts a name without quotes to the product's spelling. */
    interface Folding {
        String of(String unquoted);
    }

    SqlName {
        parts = List.copyOf(parts);
    }

    /**
     * Reads a name.
     *
     * @param what it is, for the message
     * @throws IllegalArgumentException if it is no name
     */
    static SqlName parse(String what, String text, Folding folding) {
        List<String> parts = new ArrayList<>();
        Matcher part = PART.matcher(text);
        String next = ".";
        while (next.equals(".") && part.find()) {
            String quoted = part.group(2);
            parts.add(quoted == null ? folding.of(part.group(1)) : quoted.replace("\"\"", "\""));
            next = part.group(3);
        }
        if (next.equals(".") || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    what + " is '" + text
                            + "'; write a name as SQL does: orders, sales.orders, or in double quotes \"Order lines\", with no control character");
        }
        return new SqlName(parts);
    }

    /** A name without a dot. */
    static SqlName parsePlain(String what, String text, Folding folding) {
        SqlName name = parse(what, text, folding);
        if (name.parts.size() > 1) {
            throw new IllegalArgumentException(what + " is '" + text + "'; write it without a dot");
        }
        return name;
    }

    String last() {
        return parts.get(parts.size() - 1);
    }

    /** The name for a statement. */
    String sql() {
        return parts.stream().map(SqlName::quoted).collect(Collectors.joining("."));
    }

    static String quoted(String part) {
        return '"' + part.replace("\"", "\"\"") + '"';
    }

    /** A text for a statement. */
    static String literal(String text) {
        return '\'' + text.replace("'", "''") + '\'';
    }
}
