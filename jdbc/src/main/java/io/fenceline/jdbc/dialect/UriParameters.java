package io.fenceline.jdbc.dialect;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Describes URI parameters that neither Fenceline nor the driver knows. Ignoring one could mean working on other tables than were
 * meant.
 */
public final class UriParameters {

    /** What SyncGuard calls its tables. */
    private static final Map<String, String> SYNONYMS =
            Map.of("tablename", "table", "fencetablename", "fences", "fencetable", "fences");

    private static final int TYPING_ERRORS = 2;

    private UriParameters() {}

    /**
     * Returns why a parameter is refused.
     *
     * @param name its name
     * @param known the names of those that may have been meant
     * @return one line, without the parameter's value
     */
    public static String unknown(String name, Collection<String> known) {
        return "it has the unknown parameter '" + name + "'"
                + meant(name.toLowerCase(Locale.ROOT), known)
                        .map(other -> ", did you mean '" + other + "'?")
                        .orElse("");
    }

    private static Optional<String> meant(String name, Collection<String> known) {
        String synonym = SYNONYMS.getOrDefault(name, "");
        if (known.contains(synonym)) {
            return Optional.of(synonym);
        }
        return known.stream()
                .filter(other -> distance(name, other.toLowerCase(Locale.ROOT)) <= TYPING_ERRORS)
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
