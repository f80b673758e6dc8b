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

    /** A newcomer reads a file of this length, with understanding, in one sitting. */
    private static final int LONGEST = 350;

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** The comment of a type, if it opens with a question word. */
    private static final Pattern QUESTION = Pattern.compile(
            "(?s)/\\*\\*[\\s*]*(What|Who|Whose|How|Whether|Where|When|Which|Why)\\b(?:(?!\\*/).)*\\*/\\s*"
                    + "(@\\w+(\\([^)]*\\))?\\s*)*((public|final|abstract|sealed|non-sealed|static) )*"
                    + "(class|interface|enum|record|@interface) ");

    @Test
    void noFileIsTooLongForOneSittingTestsIncluded() throws IOException {
        List<Path> sources = sources("/src/");

        assertTrue(sources.size() > 1000, sources.size() + " sources");
        assertEquals(
                List.of(),
                sources.stream().filter(SourcesTest::isTooLong).toList(),
                "files of more than " + LONGEST
                        + " lines: give each of a file's subjects a class that is named for it, and what"
                        + " these share a base class");
    }

    private static boolean isTooLong(Path source) {
        return text(source).lines().count() > LONGEST;
    }

    @Test
    void theCommentOfAClassOpensWithWhatTheClassIs() throws IOException {
        List<Path> sources = sources("/src/main/");

        assertTrue(sources.size() > 500, sources.size() + " sources");
        assertEquals(
                List.of(),
                sources.stream().filter(SourcesTest::opensWithAQuestion).toList());
    }

    private static boolean opensWithAQuestion(Path source) {
        return QUESTION.matcher(text(source)).find();
    }

    private static String text(Path source) {
        try {
            return Files.readString(source);
        } catch (IOException e) {
            throw new IllegalStateException(source + " cannot be read", e);
        }
    }

    private static List<Path> sources(String folder) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains(folder))
                    .sorted()
                    .toList();
        }
    }
}
