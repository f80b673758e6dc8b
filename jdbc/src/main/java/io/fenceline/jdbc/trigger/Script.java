package io.fenceline.jdbc.trigger;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** SQL that is kept beside the classes, with words in it that stand for a table's own names. */
final class Script {

    private final String text;

    private Script(String text) {
        this.text = text;
    }

    static Script of(String file) {
        try (InputStream script = Script.class.getResourceAsStream(file)) {
            if (script == null) {
                throw new IllegalStateException(file + " is missing from the jar");
            }
            return new Script(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
