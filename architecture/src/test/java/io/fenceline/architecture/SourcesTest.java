package io.fenceline.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules for the source text that compiled classes do not show. */
class SourcesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** The comment of a type, if it opens with a question word. */
    private static final Pattern QUESTION = Pattern.compile(
            "(?s)/\\*\\*[\\s*]*(What|Who|Whose|How|Whether|Where|When|Which|Why)\\b(?:(?!\\*/).)*\\*/\\s*"
                    + "(@\\w+(\\([^)]*\\))?\\s*)*((public|final|abstract|sealed|non-sealed|static) )*"
                    + "(class|interface|enum|record|@interface) ");

    @Test
    void theCommentOfAClassOpensWithWhatTheClassIs() throws IOException {
        List<Path> sources = sources();

        assertTrue(sources.size() > 500, sources.size() + " sources");
        assertEquals(
                List.of(),
                sources.stream().filter(SourcesTest::opensWithAQuestion).toList());
    }

    private static boolean opensWithAQuestion(Path source) {
        try {
            return QUESTION.matcher(Files.readString(source)).find();
        } catch (IOException e) {
            throw new IllegalStateException(source + " cannot be read", e);
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/main/"))
                    .sorted()
                    .toList();
        }
    }
}
