package io.fenceline.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Parses the query of a store's URI: {@code NAME=VALUE&NAME=VALUE}, percent-encoded; a plus stays a plus. Unknown parameters are
 * errors: ignoring one could mean using the wrong tables.
 */
public final class UriParameters {

    /** SyncGuard's names of its tables. */
    private static final Map<String, String> SYNONYMS =
            Map.of("tablename", "table", "fencetablename", "fences", "fencetable", "fences");

    private static final int MAX_PORT = 65_535;
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

    private static final int TYPING_ERRORS = 2;

    /** The maximum number of names that a message lists. */
    private static final int FEW = 6;

    private UriParameters() {}

    /**
     * Parses parameters.
     *
     * @param query the part after the question mark; empty for none
     * @param malformed creates the exception for a reason
     * @return the values by name, in order; a mutable map
     * @throws IllegalArgumentException if one has no name or no equals sign, is given twice or cannot be decoded. The reason
     *     never contains the value, which may be a password
     */
    public static Map<String, String> parse(String query, Function<String, IllegalArgumentException> malformed) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw malformed.apply("a parameter after the question mark is written NAME=VALUE");
            }
            String name = pair.substring(0, equals);
            if (parameters.put(name, decoded(pair.substring(equals + 1), malformed)) != null) {
                throw malformed.apply("the parameter '" + name + "' is given twice");
            }
        }
        return parameters;
    }

    /**
     * Decodes a part of a URI.
     *
     * @param text percent-encoded UTF-8
     * @param malformed creates the exception for a reason
     * @return the text
     * @throws IllegalArgumentException if it cannot be decoded
     */
    public static String decoded(String text, Function<String, IllegalArgumentException> malformed) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw malformed.apply(
                    "a percent sign in it is not followed by two hexadecimal digits; % itself is written %25");
        }
    }

    /**
     * Parses a port.
     *
     * @param digits the port, in decimal digits
     * @param malformed creates the exception for a reason
     * @return the port
     * @throws IllegalArgumentException if it is not from 1 to 65535
     */
    public static int port(String digits, Function<String, IllegalArgumentException> malformed) {
        int port = PORT.matcher(digits).matches() ? Integer.parseInt(digits) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw malformed.apply("a port is from 1 to 65535");
        }
        return port;
    }

    /**
     * Returns the message for an unknown parameter.
     *
     * @param name its name
     * @param known the known names
     * @return one line, without the parameter's value
     */
    public static String unknown(String name, Collection<String> known) {
        return "it has the unknown parameter '" + name + "'"
                + meant(name.toLowerCase(Locale.ROOT), known)
                        .map(other -> ", did you mean '" + other + "'?")
                        .orElse(known.size() > FEW ? "" : ", known are " + String.join(", ", known));
    }

    private static Optional<String> meant(String name, Collection<String> known) {
        String synonym = SYNONYMS.getOrDefault(name, "");
        if (known.contains(synonym)) {
            return Optional.of(synonym);
        }
        return known.stream()
                .filter(other ->
                        distance(name, other.toLowerCase(Locale.ROOT)) <= Math.min(TYPING_ERRORS, name.length() / 2))
                .min(Comparator.comparingInt((String other) -> distance(name, other.toLowerCase(Locale.ROOT)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Returns the Levenshtein distance. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
