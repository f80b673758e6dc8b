package io.fenceline.jdbc.sql;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The named statements of a file. Each begins with a line {@code -- :name NAME} and ends where the next one begins; lines that are
 * comments are left out. A name in braces stands for the text of that statement.
 */
public final class SqlFile {

    private static final Pattern NAME = Pattern.compile("^-- :name (\\w+)\\R", Pattern.MULTILINE);
    private static final Pattern COMMENT = Pattern.compile("^\\s*--.*\\R?", Pattern.MULTILINE);
    private static final Pattern REFERENCE = Pattern.compile("\\{(\\w+)}");

    private final String file;
    private final Supplier<Map<String, String>> source;
    private final Map<String, Sql> made = new ConcurrentHashMap<>();
    private volatile @Nullable Map<String, String> read;

    private SqlFile(String file, Supplier<Map<String, String>> source) {
        this.file = file;
        this.source = source;
    }

    /** Returns the statements of a file that lies beside a class. It is read when the first one is asked for. */
    public static SqlFile of(Class<?> beside, String file) {
        return new SqlFile(file, () -> parse(ScriptFiles.read(beside, file)));
    }

    private static Map<String, String> parse(String text) {
        Map<String, String> statements = new HashMap<>();
        Matcher name = NAME.matcher(text);
        for (boolean found = name.find(); found; ) {
            String key = name.group(1);
            int start = name.end();
            found = name.find();
            String statement = text.substring(start, found ? name.start() : text.length());
            statements.put(key, COMMENT.matcher(statement).replaceAll("").strip());
        }
        return statements;
    }

    /** Returns these statements together with those of another file, which may refer to one another. */
    public SqlFile and(SqlFile other) {
        return new SqlFile(file, () -> {
            Map<String, String> all = new HashMap<>(other.statements());
            all.putAll(statements());
            return all;
        });
    }

    /** Returns the same statements with other names of tables. */
    public SqlFile with(UnaryOperator<String> tables) {
        return new SqlFile(file, () -> {
            Map<String, String> changed = new HashMap<>(statements());
            changed.replaceAll((name, statement) -> tables.apply(statement));
            return changed;
        });
    }

    private Map<String, String> statements() {
        Map<String, String> known = read;
        if (known == null) {
            known = source.get();
            read = known;
        }
        return known;
    }

    /** Returns a statement's text. */
    public String text(String name) {
        String statement = statements().get(name);
        if (statement == null) {
            throw new IllegalArgumentException(file + " has no statement '" + name + "'");
        }
        return REFERENCE.matcher(statement).replaceAll(this::referenced);
    }

    private String referenced(MatchResult reference) {
        return Matcher.quoteReplacement(text(reference.group(1)));
    }

    /** Returns a statement, the same for each call. */
    public Sql sql(String name) {
        return made.computeIfAbsent(name, missing -> new Sql(text(missing)));
    }
}
