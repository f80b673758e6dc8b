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
 * <p>A tokenizer, not an SQL parser. Each text is scanned several times: with quotes, comments and literals included, since databases execute
 * some of them; without comments, which would end a target too early; and without literals either, in two ways. False positives are
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
     * @param isQualifier whether it is a schema, and no table: a dot and a word come after it
     */
    private record Token(String text, boolean isName, boolean isQualified, boolean isQualifier) {}

    /** The words of a table's name, and of its schema if it is known. */
    record Table(List<String> schema, List<String> name) {

        /** Reads a name as Hibernate writes it, perhaps with a schema before it, or a catalog and a schema. */
        static Table of(String table) {
            List<String> parts =
                    PART.matcher(table).results().map(MatchResult::group).toList();
            int last = parts.size() - 1;
            return new Table(last > 0 ? words(parts.get(last - 1)) : List.of(), words(parts.get(last)));
        }

        private static List<String> words(String part) {
            return texts(tokens(part));
        }

        /** Returns whether it may be the table at a place of a text: it is not if the text names another schema. */
        private boolean isAt(int index, List<Token> tokens) {
            return index + name.size() <= tokens.size()
                    && name.equals(texts(tokens.subList(index, index + name.size())))
                    && !tokens.get(index + name.size() - 1).isQualifier()
                    && (!tokens.get(index).isQualified()
                            || schema.isEmpty()
                            || (index >= schema.size()
                                    && schema.equals(texts(tokens.subList(index - schema.size(), index)))));
        }
    }

    /** A part of a name with dots, which may have dots in its quotes. */
    private static final Pattern PART = Pattern.compile("\"[^\"]*+\"|`[^`]*+`|\\[[^]]*+]|[^.\"`\\[]++");

    private static final String WORD = "[\\w$\\x{80}-\\x{10ffff}]++";

    /** Comes before a table's name, and never before a statement that is not in quotes. A MERGE and an upsert have {@code update set}. */
    private static final String BEFORE_TABLE =
            "(?:(?<=(?:\\b(?:from|join|into|table)\\s|,)\\s{0,9})|(?<=\\bupdate\\s\\s{0,9})(?!set\\b))";

    /** Each group but the last is a word that is not a verb; the first one comes after a schema, and a word before the last is one. */
    private static final Pattern TOKEN = Pattern.compile(("(?:"
                    + String.join(
                            "|",
                            "(?<=[\\w$\\x{80}-\\x{10ffff}\"`\\]]\\.[\"`\\[]?)(WORD)", // after a dot
                            "(?<=\\.[\"`\\[]?)(WORD)",
                            "(?<=[\"`'\\[])(WORD)(?=[\"`'\\]])", // a word alone in quotes
                            "(WORD)(?=[\"`\\]]?\\.)", // a schema
                            "(WORD)(?=[\"`\\]]?\\s*+[,)=<>!|])", // a column
                            BEFORE_TABLE + "(WORD)",
                            "WORD",
                            "[();]")
                    + ")(?=([\"`\\]]?\\.[\"`\\[]?WORD)?)")
            .replace("WORD", WORD));

    private static final Set<String> ROW =
            Set.of("(", ")", ";", "select", "values", "value", "default", "as", "overriding");

    /** MySQL and MariaDB execute what such a comment has, and PostgreSQL and H2 what is between two such quotes. */
    private static final Pattern EXECUTED = Pattern.compile("/\\*[Mm]?!\\d*|\\$\\w*+\\$");

    /** No text can be around them, and no database executes them: what Hibernate writes with {@code hibernate.use_sql_comments}. */
    private static final Pattern LEADING_COMMENTS =
            Pattern.compile("^(?:\\s*+/\\*(?![Mm]?!).*?\\*/)++", Pattern.DOTALL);

    /** Comments of PostgreSQL and H2, where {@code #} is an operator, and of MySQL and MariaDB, where {@code 1--1} is a number. */
    private static final List<String> COMMENTS =
            List.of("/\\*.*?\\*/|--[^\\r\\n]*", "/\\*.*?\\*/|--(?=\\s|$)[^\\n]*|#[^\\n]*");

    /** Nothing but comments, texts too, and texts with MySQL's escapes and double quotes: what is removed in one of the scans. */
    private static final List<Pattern> REMOVED = COMMENTS.stream()
            .flatMap(comments -> Stream.of("", "'[^']*+'|", "'(?:[^'\\\\]|\\\\.)*+'|\"(?:[^\"\\\\]|\\\\.)*+\"|")
                    .map(texts -> Pattern.compile(texts + comments, Pattern.DOTALL)))
            .toList();

    /** The verbs of statements, and the words that end their targets. */
    private static final Map<String, Set<String>> VERBS = Map.ofEntries(
            Map.entry("insert", ROW),
            Map.entry("replace", ROW),
            Map.entry("update", Set.of("set", ")", ";")),
            Map.entry("delete", Set.of("where", "returning", ")", ";")),
            Map.entry("merge", Set.of("using", "key", "select", "values", ";")),
            Map.entry("truncate", Set.of(";")),
            Map.entry("copy", Set.of("from", "to", "(", ";")),
            Map.entry("load", Set.of(";")),
            Map.entry("alter", Set.of(";")),
            Map.entry("drop", Set.of(";")),
            Map.entry("rename", Set.of(";")));

    /** {@code for update}, {@code for no key update}, {@code on duplicate key update}, {@code on delete cascade}, {@code on commit drop}. */
    private static final Map<String, Set<String>> NO_VERB_AFTER = Map.of(
            "for", Set.of("update"),
            "key", Set.of("update"),
            "on", Set.of("update", "delete"),
            "commit", Set.of("delete", "drop"));

    private static final List<String> SET_STATEMENT = List.of("set", "statement");

    static SqlTargets of(String statement) {
        String sql = LEADING_COMMENTS.matcher(statement).replaceFirst(" ");
        return new SqlTargets(Stream.of(sql, EXECUTED.matcher(sql).replaceAll(" "))
                .flatMap(text -> Stream.concat(
                        Stream.of(text),
                        REMOVED.stream().map(removed -> removed.matcher(text).replaceAll(" "))))
                .distinct()
                .flatMap(text -> targets(tokens(text)))
                .toList());
    }

    private static Stream<Target> targets(List<Token> tokens) {
        return IntStream.range(0, tokens.size()).boxed().flatMap(i -> {
            Token verb = tokens.get(i);
            Set<String> ends = VERBS.get(verb.text());
            return ends == null
                            || verb.isName()
                            || isClause(verb.text(), texts(tokens.subList(0, i)))
                            || isOfMerge(verb, tokens.subList(i + 1, tokens.size()))
                            || isFunction(verb, tokens.subList(i + 1, tokens.size()))
                    ? Stream.empty()
                    : Stream.of(new Target(tokens.subList(i + 1, tokens.size()), ends));
        });
    }

    /** Returns whether a verb is part of a clause. MariaDB's {@code set statement … for} is followed by a statement. */
    private static boolean isClause(String verb, List<String> before) {
        String last = before.isEmpty() ? "" : before.get(before.size() - 1);
        return NO_VERB_AFTER.getOrDefault(last, Set.of()).contains(verb)
                && !(last.equals("for") && Collections.indexOfSubList(before, SET_STATEMENT) >= 0);
    }

    /** Returns whether a verb is the action of a MERGE that another one follows: {@code then delete when}. */
    private static boolean isOfMerge(Token verb, List<Token> after) {
        return verb.text().equals("delete")
                && !after.isEmpty()
                && after.get(0).text().equals("when")
                && !after.get(0).isName();
    }

    /** Returns whether a verb is the function that cuts numbers. */
    private static boolean isFunction(Token verb, List<Token> after) {
        return verb.text().equals("truncate")
                && !after.isEmpty()
                && after.get(0).text().equals("(");
    }

    /** Returns the target. What it has in parentheses does not end it, nor does a name. */
    private static List<Token> until(Set<String> ends, List<Token> tokens, List<String> name) {
        int end = 0;
        int open = 0;
        while (end < tokens.size()) {
            Token token = tokens.get(end);
            if (open == 0 && ends.contains(token.text()) && !token.isName() && !name.contains(token.text())) {
                break;
            }
            open += token.text().equals("(") ? 1 : open > 0 && token.text().equals(")") ? -1 : 0;
            end++;
        }
        return tokens.subList(0, end);
    }

    private static List<Token> tokens(String sql) {
        return TOKEN.matcher(sql.toLowerCase(Locale.ROOT))
                .results()
                .map(result -> new Token(
                        result.group(),
                        isName(result),
                        result.group(1) != null,
                        result.group(result.groupCount()) != null))
                .toList();
    }

    private static boolean isName(MatchResult result) {
        return IntStream.range(1, result.groupCount()).anyMatch(group -> result.group(group) != null);
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
