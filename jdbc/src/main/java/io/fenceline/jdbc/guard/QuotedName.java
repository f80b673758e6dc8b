package io.fenceline.jdbc.guard;

/** The name of a table or column as a part of a statement, whatever it holds. */
final class QuotedName {

    private QuotedName() {}

    /** Quotes a name; what ends the quotes is doubled within. */
    static String of(String identifier, char begin, char end) {
        if (identifier.isEmpty() || identifier.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("'" + identifier + "' is no name of a table or column");
        }
        return begin + identifier.replace(String.valueOf(end), "" + end + end) + end;
    }
}
