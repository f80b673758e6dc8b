package io.fenceline.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Java of README and docs compiles and runs as it stands: a block is a whole type, or imports and statements that may use what earlier blocks of
 * the page made. A {@code text} block that follows is what it prints. Blocks of SQL that begin with CREATE TABLE are run first.
 */
class DocumentedCodeTest {

    private static DocumentedServers servers;

    @TempDir
    Path folder;

    @BeforeAll
    static void startServers() {
        servers = new DocumentedServers();
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    static List<DocumentationPage> pages() throws IOException {
        return DocumentationPage.withJava();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyJavaBlockCompilesAndRunsAsItStands(DocumentationPage page) throws Exception {
        ReaderProject project = ReaderProject.onClassPath(folder);
        for (CodeBlock unit : page.units()) {
            project.add(unit.unit().orElseThrow(), servers.withRealAddresses(unit.text()));
        }
        compilesAndRuns(page, project, "");
    }

    /** A module's types are in packages. */
    @ParameterizedTest
    @MethodSource("pages")
    void andSoItDoesInAModule(DocumentationPage page) throws Exception {
        DocumentationPage fit = page.without(ReaderProject.NO_MODULES);
        ReaderProject project = ReaderProject.onModulePath(folder);
        for (CodeBlock unit : fit.units()) {
            project.add(
                    "page/" + unit.unit().orElseThrow(), "package page;\n" + servers.withRealAddresses(unit.text()));
        }
        compilesAndRuns(fit, project, "page.");
    }

    private static void compilesAndRuns(DocumentationPage page, ReaderProject project, String packageOfUnits)
            throws Exception {
        List<CodeBlock> snippets = page.snippets();
        for (int last = 1; last <= snippets.size(); last++) { // each without the imports of later ones
            project.add("upto" + last + "/Page", program("upto" + last, snippets.subList(0, last)));
        }
        List<CodeBlock> runnable = snippets.stream()
                .filter(block -> !block.names(servers.missing()))
                .toList();
        project.add("all/Page", program("all", runnable));
        project.compile();

        servers.reset(page.tables());
        assertPrints(project, "all.Page", runnable);
        for (CodeBlock unit : page.units()) {
            if (unit.text().contains("void main(")) {
                assertPrints(project, packageOfUnits + unit.unit().orElseThrow(), List.of(unit));
            }
        }
    }

    private static String program(String name, List<CodeBlock> blocks) {
        return servers.withRealAddresses(CodeBlock.program(name, blocks));
    }

    private static void assertPrints(ReaderProject project, String main, List<CodeBlock> blocks) throws Exception {
        String printed = project.run(servers.environment(), main);
        String expected =
                blocks.stream().flatMap(block -> block.printed().stream()).collect(Collectors.joining());
        if (!expected.isEmpty()) {
            assertThat(printed).isEqualTo(expected);
        }
    }
}
