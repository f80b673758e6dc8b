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
 * tables that are only read. A table of another schema is another table if the text names its schema.
 *
 * @param targets the words after each verb, in lower case and without quotes, and those that end its target
 */
record SqlTargets(List<Target> targets) {

    private record Target(List<Token> after, Set<String> ends) {}

    /**
     * A word of an SQL text, or a mark.
     *
     * @param isName whether it can be no verb and no end of a target
     * @param isQualified whether a schema comes before it
     */
    private record Token(String text, boolean isName, boolean isQualified) {}

    /** The words of a table's name, and of its schema if it is known. */
    record Table(List<String> schema, List<String> name) {

        /** Reads a name as Hibernate writes it. */
        static Table of(String table) {
            int end = table.lastIndexOf('.');
            return new Table(words(table.substring(0, Math.max(0, end))), words(table.substring(end + 1)));
        }

        private static List<String> words(String part) {
            return texts(tokens(part));
        }

        /** Returns whether it may be the table at a place of a text: it is not if the text names another schema. */
        private boolean isAt(int index, List<Token> tokens) {
            return index + name.size() <= tokens.size()
                    && name.equals(texts(tokens.subList(index, index + name.size())))
                    && (!tokens.get(index).isQualified()
                            || schema.isEmpty()
                            || (index >= schema.size()
                                    && schema.equals(texts(tokens.subList(index - schema.size(), index)))));
        }
    }

    private static final String WORD = "[\\w$\\x{80}-\\x{10ffff}]++";

    /** Comes before a table's name, and never before a statement that is not in quotes. */
    private static final String BEFORE_TABLE = "(?<=(?:\\b(?:from|join|into|table|update)\\s|,)\\s{0,9}";

    /**
     * Each group is a word that is not a verb: a column or table name after a dot, possibly quoted, the first group if the dot follows a
     * schema; a value alone in a literal; a column or schema before a comma, a dot, a closing parenthesis or a comparison; a table
     * name, possibly quoted.
     */
    private static final Pattern TOKEN = Pattern.compile("(?<=[^.]\\.[\"`\\[]?)(" + WORD + ")|(?<=\\.[\"`\\[]?)(" + WORD
            + ")|(?<=')(" + WORD + ")(?=')|(" + WORD + ")(?=[\"`\\]]?\\s*+[,.)=<>!|])|" + BEFORE_TABLE + ")(" + WORD
            + ")|"
            + BEFORE_TABLE + "[\"`\\[])(" + WORD + ")(?=[\"`\\]])|" + WORD + "|[();]");

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
                .flatMap(text -> targets(tokens(text)))
                .toList());
    }

    private static Stream<Target> targets(List<Token> tokens) {
        return IntStream.range(0, tokens.size()).boxed().flatMap(i -> {
            Token verb = tokens.get(i);
            Set<String> ends = VERBS.get(verb.text());
            return ends == null || verb.isName() || isClause(texts(tokens.subList(0, i)))
                    ? Stream.empty()
                    : Stream.of(new Target(tokens.subList(i + 1, tokens.size()), ends));
        });
    }

    /** Returns whether a verb is part of a clause. MariaDB's {@code set statement … for} is followed by a statement. */
    private static boolean isClause(List<String> before) {
        String last = before.isEmpty() ? "" : before.get(before.size() - 1);
        return NO_VERB_AFTER.contains(last)
                && !(last.equals("for") && Collections.indexOfSubList(before, SET_STATEMENT) >= 0);
    }

    /** Returns the target. A parenthesis that it opens does not end it, nor does a name. */
    private static List<Token> until(Set<String> ends, List<Token> tokens, List<String> name) {
        int end = 0;
        int open = 0;
        while (end < tokens.size()) {
            Token token = tokens.get(end);
            boolean closes = open > 0 && token.text().equals(")");
            if (ends.contains(token.text()) && !closes && !token.isName() && !name.contains(token.text())) {
                break;
            }
            open += token.text().equals("(") ? 1 : closes ? -1 : 0;
            end++;
        }
        return tokens.subList(0, end);
    }

    private static List<Token> tokens(String sql) {
        return TOKEN.matcher(sql.toLowerCase(Locale.ROOT))
                .results()
                .map(result -> new Token(result.group(), isName(result), result.group(1) != null))
                .toList();
    }

    private static boolean isName(MatchResult result) {
        return IntStream.rangeClosed(1, result.groupCount()).anyMatch(group -> result.group(group) != null);
    }

    private static List<String> texts(List<Token> tokens) {
        return tokens.stream().map(Token::text).toList();
    }

    /** Returns whether the table may be one of those that the text writes. */
    boolean contains(Table table) {
        return targets.stream()
                .map(target -> until(target.ends(), target.after(), table.name()))
                .anyMatch(target -> IntStream.range(0, target.size()).anyMatch(i -> table.isAt(i, target)));
    }
}
