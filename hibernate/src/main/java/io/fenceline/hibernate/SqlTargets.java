package io.fenceline.hibernate;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
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
 * <p>Texts can be scripts, or have a long literal, so the time that a scan takes grows with the length of the text and not with its square,
 * unless quotes in it have no end.
 *
 * @param scans what each scan found
 */
record SqlTargets(List<Scan> scans) {

    /**
     * What one scan found.
     *
     * @param tokens all words, in lower case and without quotes
     * @param verbs the indexes of those that may begin a statement which writes
     */
    private record Scan(List<Token> tokens, List<Integer> verbs) {

        static Scan of(String sql) {
            List<Token> tokens = tokensOf(sql);
            int setStatement = Collections.indexOfSubList(texts(tokens), SET_STATEMENT);
            return new Scan(
                    tokens,
                    IntStream.range(0, tokens.size())
                            .filter(i -> isVerb(tokens.get(i), tokens.subList(i + 1, tokens.size())))
                            .filter(i -> i == 0
                                    || !isClause(
                                            tokens.get(i - 1), tokens.get(i), 0 <= setStatement && setStatement < i))
                            .boxed()
                            .toList());
        }

        /** Returns whether the table may be in the target of one of the verbs. */
        boolean contains(Table table) {
            int[] places = IntStream.range(0, tokens.size())
                    .filter(i -> table.isNameAt(i, tokens))
                    .toArray();
            if (places.length == 0) {
                return false;
            }
            Map<Set<String>, int[]> ends = new HashMap<>();
            for (int verb : verbs) {
                int first = verb + 1;
                int[] endsFrom = ends.computeIfAbsent(endsOf(tokens.get(verb)), words -> ends(words, table.name()));
                if (isIn(tokens.subList(first, endsFrom[first]), places, first, table)) {
                    return true;
                }
            }
            return false;
        }

        /** Returns for each index that of the word which ends a target there. What a target has in parentheses does not end it, nor does a name. */
        private int[] ends(Set<String> words, List<String> name) {
            int[] ends = new int[tokens.size() + 1];
            ends[tokens.size()] = tokens.size();
            Deque<Integer> closing = new ArrayDeque<>();
            for (int i = tokens.size() - 1; i >= 0; i--) {
                Token token = tokens.get(i);
                int next = i + 1;
                if (token.text().equals(")")) {
                    closing.push(i);
                } else if (token.text().equals("(")) {
                    next = closing.isEmpty() ? tokens.size() : closing.pop() + 1;
                }
                boolean isEnd = words.contains(token.text()) && !token.isName() && !name.contains(token.text());
                ends[i] = isEnd ? i : ends[next];
            }
            return ends;
        }

        private static boolean isIn(List<Token> target, int[] places, int first, Table table) {
            int next = Arrays.binarySearch(places, first);
            return IntStream.range(next < 0 ? -next - 1 : next, places.length)
                    .map(i -> places[i] - first)
                    .takeWhile(index -> index + table.name().size() <= target.size())
                    .anyMatch(index -> table.isAt(index, target));
        }
    }

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
            return texts(tokensOf(part));
        }

        /** Returns whether its name is at a place of a text. */
        private boolean isNameAt(int index, List<Token> tokens) {
            return index + name.size() <= tokens.size()
                    && IntStream.range(0, name.size())
                            .allMatch(i ->
                                    name.get(i).equals(tokens.get(index + i).text()));
        }

        /** Returns whether it may be the table whose name is at a place of a text: it is not if the text names another schema. */
        private boolean isAt(int index, List<Token> tokens) {
            return !tokens.get(index + name.size() - 1).isQualifier()
                    && (!tokens.get(index).isQualified()
                            || schema.isEmpty()
                            || (index >= schema.size()
                                    && schema.equals(texts(tokens.subList(index - schema.size(), index)))));
        }
    }

    /** A part of a name with dots, which may have dots in its quotes. */
    private static final Pattern PART = Pattern.compile("\"[^\"]*+\"|`[^`]*+`|\\[[^]]*+]|[^.\"`\\[]++");

    /** H2 takes all blanks of Unicode for blanks. */
    private static final String WORD = "[\\w$\\x{80}-\\x{10ffff}&&[^\\p{Z}]]++";

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

    /** Comments of PostgreSQL, where {@code #} is an operator, of MySQL and MariaDB, where {@code 1--1} is a number, and of H2. */
    private static final List<String> COMMENTS = List.of(
            "/\\*.*?\\*/|--[^\\r\\n]*", "/\\*.*?\\*/|--(?=\\s|$)[^\\n]*|#[^\\n]*", "/\\*.*?\\*/|(?:--|//)[^\\r\\n]*");

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
                .map(SqlTargets::withoutOpenComments)
                .flatMap(text -> Stream.concat(
                        Stream.of(text),
                        REMOVED.stream().map(removed -> removed.matcher(text).replaceAll(" "))))
                .distinct()
                .map(Scan::of)
                .toList());
    }

    /** Returns the text with a blank in marks of comments that have no end: each mark would be read to the end of the text. */
    private static String withoutOpenComments(String sql) {
        int end = sql.lastIndexOf("*/") + 1;
        return sql.substring(0, end) + sql.substring(end).replace("/*", "/ *");
    }

    private static boolean isVerb(Token word, List<Token> after) {
        return VERBS.containsKey(word.text()) && !word.isName() && !isOfMerge(word, after) && !isFunction(word, after);
    }

    private static Set<String> endsOf(Token verb) {
        return VERBS.getOrDefault(verb.text(), Set.of());
    }

    /** Returns whether a verb is part of a clause. MariaDB's {@code set statement … for} is followed by a statement. */
    private static boolean isClause(Token before, Token verb, boolean afterSetStatement) {
        return NO_VERB_AFTER.getOrDefault(before.text(), Set.of()).contains(verb.text())
                && !(before.text().equals("for") && afterSetStatement);
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

    private static List<Token> tokensOf(String sql) {
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
        return scans.stream().anyMatch(scan -> scan.contains(table));
    }
}
