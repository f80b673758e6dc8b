package io.fenceline.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The Java in the documentation stands in a file of this module, and so is compiled. */
class DocumentedCodeTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?s)```java\n(.*?)```");

    @Test
    void everyJavaBlockOfTheDocumentationIsCompiled() throws IOException {
        String sources = texts(ROOT.resolve("examples/src"), ".java");
        List<String> missing = new ArrayList<>();
        Matcher blocks = JAVA_BLOCK.matcher(documentation());
        int found = 0;
        while (blocks.find()) {
            found++;
            if (!squeezed(sources).contains(squeezed(blocks.group(1)))) {
                missing.add(blocks.group(1));
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).isPositive();
    }

    private static String documentation() throws IOException {
        return Files.readString(ROOT.resolve("README.md")) + texts(ROOT.resolve("docs"), ".md");
    }

    private static String texts(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .map(DocumentedCodeTest::read)
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Layout does not matter, words do. */
    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }
}
