package io.fenceline.jdbc.trigger;

import io.fenceline.jdbc.sql.ScriptFiles;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** SQL that is kept beside the classes, with words in it that stand for a table's own names. */
final class ScriptTemplate {

    private final String text;

    private ScriptTemplate(String text) {
        this.text = text;
    }

    /** Joins the files in this order. */
    static ScriptTemplate of(String... files) {
        return new ScriptTemplate(Stream.of(files)
                .map(file -> ScriptFiles.read(ScriptTemplate.class, file))
                .collect(Collectors.joining("\n")));
    }

    /** The script as it is. */
    String text() {
        return text;
    }

    /** Puts names in the places of words, all at once, so that no name is taken for a word. */
    String with(Map<String, String> names) {
        Pattern words = Pattern.compile(names.keySet().stream()
                .sorted((one, other) -> other.length() - one.length())
                .map(Pattern::quote)
                .collect(Collectors.joining("|")));
        return words.matcher(text).replaceAll(word -> Matcher.quoteReplacement(names.getOrDefault(word.group(), "")));
    }
}
