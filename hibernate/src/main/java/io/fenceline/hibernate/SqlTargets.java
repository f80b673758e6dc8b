package io.fenceline.hibernate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The words of an SQL text that may be the table of an INSERT, UPDATE, DELETE, MERGE, REPLACE, TRUNCATE, COPY, LOAD, ALTER, DROP
 * or RENAME, also within a WITH or behind a SELECT.
 *
 * <p>A tokenizer, not an SQL parser. Each text is scanned twice: with quotes, comments and literals included, since databases execute
 * some comments; and without comments, whose parentheses would end a target too early. False positives are tables that are only
 * read.
 *
 * @param words in lower case, without quotes
 */
record SqlTargets(List<List<String>> words) {

    private static final String WORD = "[\\w$\\x{80}-\\x{10ffff}]++";

    /**
     * Each group is a word that is not a verb: a column or table name after a dot, possibly quoted; a value alone in a literal; a
     * column before a comma, a closing parenthesis or a comparison.
     */
    private static final Pattern TOKEN = Pattern.compile("(?<=\\.[\"`\\[]?)(" + WORD + ")|(?<=')(" + WORD + ")(?=')|("
            + WORD + ")(?=[\"`\\]]?\\s*+[,)=<>!|])|" + WORD + "|[();]");

    private static final Set<String> ROW =
            Set.of("(", ")", ";", "select", "values", "value", "default", "as", "overriding");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|--[^\\n]*|#[^\\n]*", Pattern.DOTALL);

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
        List<List<String>> targets = new ArrayList<>(targets(results(sql)));
        targets.addAll(targets(results(COMMENT.matcher(sql).replaceAll(" "))));
        return new SqlTargets(List.copyOf(targets));
    }

    private static List<List<String>> targets(List<MatchResult> results) {
        List<String> tokens = results.stream().map(MatchResult::group).toList();
        List<List<String>> targets = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            Set<String> ends = VERBS.get(tokens.get(i));
            if (ends != null && !isName(results.get(i)) && !isClause(tokens.subList(0, i))) {
                targets.add(until(ends, tokens.subList(i + 1, tokens.size())));
            }
        }
        return targets;
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

    /** Returns the target. A parenthesis that it opens does not end it. */
    private static List<String> until(Set<String> ends, List<String> tokens) {
        int end = 0;
        int open = 0;
        while (end < tokens.size()) {
            String token = tokens.get(end);
            boolean closes = open > 0 && token.equals(")");
            if (ends.contains(token) && !closes) {
                break;
            }
            open += token.equals("(") ? 1 : closes ? -1 : 0;
            end++;
        }
        return List.copyOf(tokens.subList(0, end));
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
        return words.stream().anyMatch(target -> Collections.indexOfSubList(target, name) >= 0);
    }
}
