package io.fenceline.hibernate;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The words of an SQL text that may be the table of an INSERT, UPDATE, DELETE, MERGE, REPLACE, TRUNCATE, COPY, LOAD, ALTER, DROP
 * or RENAME, also within a WITH or behind a SELECT.
 *
 * <p>A tokenizer, not an SQL parser. Each text is scanned twice: with quotes, comments and literals included, since databases execute
 * some comments; without comments, whose parentheses would end a target too early; and without literals either. False positives are
 * tables that are only read.
 *
 * @param targets the words after each verb, in lower case and without quotes, and those that end its target
 */
record SqlTargets(List<Target> targets) {

    private record Target(List<String> after, Set<String> ends) {}

    private static final String WORD = "[\\w$\\x{80}-\\x{10ffff}]++";

    /** Comes before a table's name, and never before a statement that is not in quotes. */
    private static final String BEFORE_TABLE = "(?<=(?:\\b(?:from|join|into|table|update)\\s|,)\\s{0,9}";

    /**
     * Each group is a word that is not a verb: a column or table name after a dot, possibly quoted; a value alone in a literal; a
     * column before a comma, a closing parenthesis or a comparison; a table name, possibly quoted.
     */
    private static final Pattern TOKEN = Pattern.compile("(?<=\\.[\"`\\[]?)(" + WORD + ")|(?<=')(" + WORD + ")(?=')|("
            + WORD + ")(?=[\"`\\]]?\\s*+[,)=<>!|])|" + BEFORE_TABLE + ")(" + WORD + ")|" + BEFORE_TABLE + "[\"`\\[])("
            + WORD + ")(?=[\"`\\]])|" + WORD + "|[();]");

    private static final Set<String> ROW =
            Set.of("(", ")", ";", "select", "values", "value", "default", "as", "overriding");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|--[^\\n]*|#[^\\n]*", Pattern.DOTALL);

    private static final Pattern LITERAL = Pattern.compile("'[^']*+'|" + COMMENT.pattern(), Pattern.DOTALL);

    /** The verbs of statements, and the words that end their targets. */
    private static final Map<String, Set<String>> VERBS = Map.ofEntries(
            Map.entry("insert", ROW),
            Map.entry("replace", ROW),
            Map.entry("update", Set.of("set", ")", ";")),
            Map.entry("delete", Set.of("where", "returning", ")", ";")),
            Map.entry("merge", Set.of("using", ";")),
            Map.entry("truncate", Set.of("(", ";")),
            Map.entry("copy", Set.of("from", "to", "(", ";")),
            Map.entry("load", Set.of(";")),
            Map.entry("alter", Set.of(";")),
            Map.entry("drop", Set.of(";")),
            Map.entry("rename", Set.of(";")));

    /** {@code for update}, {@code for no key update}, {@code on duplicate key update}, {@code on delete cascade}. */
    private static final Set<String> NO_VERB_AFTER = Set.of("for", "key", "on");

    private static final List<String> SET_STATEMENT = List.of("set", "statement");

    static SqlTargets of(String sql) {
        return new SqlTargets(Stream.of(
                        sql,
                        COMMENT.matcher(sql).replaceAll(" "),
                        LITERAL.matcher(sql).replaceAll(" "))
                .distinct()
                .flatMap(text -> targets(results(text)))
                .toList());
    }

    private static Stream<Target> targets(List<MatchResult> results) {
        List<String> tokens = results.stream().map(MatchResult::group).toList();
        return IntStream.range(0, tokens.size()).boxed().flatMap(i -> {
            Set<String> ends = VERBS.get(tokens.get(i));
            return ends == null || isName(results.get(i)) || isClause(tokens.subList(0, i))
                    ? Stream.empty()
                    : Stream.of(new Target(tokens.subList(i + 1, tokens.size()), ends));
        });
    }

    private static boolean isName(MatchResult result) {
        return IntStream.rangeClosed(1, result.groupCount()).anyMatch(group -> result.group(group) != null);
    }

    /** Returns whether a verb is part of a clause. MariaDB's {@code set statement … for} is followed by a statement. */
    private static boolean isClause(List<String> before) {
        String last = before.isEmpty() ? "" : before.get(before.size() - 1);
        return NO_VERB_AFTER.contains(last)
                && !(last.equals("for") && Collections.indexOfSubList(before, SET_STATEMENT) >= 0);
    }

    /** Returns the target. A parenthesis that it opens does not end it, nor does a word of the table's name. */
    private static List<String> until(Set<String> ends, List<String> tokens, List<String> name) {
        int end = 0;
        int open = 0;
        while (end < tokens.size()) {
            String token = tokens.get(end);
            boolean closes = open > 0 && token.equals(")");
            if (ends.contains(token) && !closes && !name.contains(token)) {
                break;
            }
            open += token.equals("(") ? 1 : closes ? -1 : 0;
            end++;
        }
        return tokens.subList(0, end);
    }

    private static List<MatchResult> results(String sql) {
        return TOKEN.matcher(sql.toLowerCase(Locale.ROOT)).results().toList();
    }

    /** Returns the words of a table name without its schema. */
    static List<String> name(String table) {
        return results(table.substring(table.lastIndexOf('.') + 1)).stream()
                .map(MatchResult::group)
                .toList();
    }

    boolean contains(List<String> name) {
        return targets.stream()
                .anyMatch(target -> Collections.indexOfSubList(until(target.ends(), target.after(), name), name) >= 0);
    }
}
