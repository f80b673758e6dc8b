package io.fenceline.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * README or a page of docs.
 *
 * @param file its file
 * @param blocks its blocks of code, in order
 */
record DocumentationPage(Path file, List<CodeBlock> blocks) {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\n(.*?)^```$");

    /** Returns the pages whose code needs nothing but Fenceline and drivers. */
    static List<DocumentationPage> withJava() throws IOException {
        List<DocumentationPage> pages = pagesOfDocs();
        pages.removeIf(page -> page.isMigration() || page.isOfSpring());
        pages.add(0, read(ROOT.resolve("README.md")));
        pages.removeIf(page -> page.blocks().stream().noneMatch(CodeBlock::isJava));
        return pages;
    }

    /** Returns the pages on migrating from other libraries, whose code needs these. */
    static List<DocumentationPage> migrations() throws IOException {
        List<DocumentationPage> pages = pagesOfDocs();
        pages.removeIf(page -> !page.isMigration());
        return pages;
    }

    /** The starter's tests compile the code of this one. */
    private boolean isOfSpring() {
        return file.endsWith("docs/spring.md");
    }

    private boolean isMigration() {
        return file.getFileName().toString().startsWith("from-");
    }

    private static List<DocumentationPage> pagesOfDocs() throws IOException {
        List<DocumentationPage> pages = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            for (Path file : files.filter(name -> name.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                pages.add(read(file));
            }
        }
        return pages;
    }

    private static DocumentationPage read(Path file) throws IOException {
        List<MatchResult> found =
                BLOCK.matcher(Files.readString(file)).results().toList();
        List<CodeBlock> blocks = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            boolean printed = i + 1 < found.size() && found.get(i + 1).group(1).equals("text");
            blocks.add(new CodeBlock(
                    found.get(i).group(1),
                    found.get(i).group(2),
                    printed ? Optional.of(found.get(i + 1).group(2)) : Optional.empty()));
        }
        return new DocumentationPage(file, blocks);
    }

    /** Returns the page without the Java blocks that name one of these words. */
    DocumentationPage without(List<String> words) {
        return new DocumentationPage(
                file,
                blocks.stream()
                        .filter(block -> !block.isJava() || !block.names(words))
                        .toList());
    }

    /** Returns the blocks of imports and statements. Later ones use the variables of earlier ones. */
    List<CodeBlock> snippets() {
        return blocks.stream()
                .filter(block -> block.isJava() && block.unit().isEmpty())
                .toList();
    }

    List<CodeBlock> units() {
        return blocks.stream()
                .filter(block -> block.isJava() && block.unit().isPresent())
                .toList();
    }

    List<CodeBlock> tables() {
        return blocks.stream().filter(CodeBlock::isTable).toList();
    }

    @Override
    public String toString() {
        return ROOT.relativize(file).toString();
    }
}
