package io.fenceline.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tutorial's pom.xml as it stands, with the programs of the tutorial and of README, compiled by a Maven of its own. Our artifacts come from a
 * repository in a folder, all others from the local repository of this build, by file.
 */
class MavenProjectTest {

    private static final Path ROOT = DocumentationPage.ROOT;
    private static final Pattern VERSION =
            Pattern.compile("<artifactId>fenceline-parent</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern COMPILER =
            Pattern.compile("<artifactId>maven-compiler-plugin</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern POM = Pattern.compile("(?s)```xml\n(<project.*?)```");

    @TempDir
    Path folder;

    @BeforeEach
    void makeRepository() throws IOException {
        String version = found(VERSION, ROOT.resolve("pom.xml"));
        for (String module : new String[] {"core", "jdbc", "sqlite"}) {
            String name = "fenceline-" + module + "-" + version;
            Path target = ROOT.resolve(module).resolve("target");
            assumeTrue(Files.exists(target.resolve(name + ".jar")), "mvn package has made no jars yet");
            Path place = folder.resolve("repository/io/fenceline/fenceline-" + module)
                    .resolve(version);
            Files.createDirectories(place);
            Files.copy(target.resolve(name + ".jar"), place.resolve(name + ".jar"));
            Files.copy(target.resolve(".flattened-pom.xml"), place.resolve(name + ".pom"));
        }
        Path local =
                Path.of(System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository"));
        Files.writeString(folder.resolve("settings.xml"), """
                <settings>
                  <mirrors><mirror><id>local</id><url>%s</url><mirrorOf>*,!fenceline</mirrorOf></mirror></mirrors>
                  <profiles><profile><id>fenceline</id><repositories><repository>
                    <id>fenceline</id><url>%s</url>
                  </repository></repositories></profile></profiles>
                  <activeProfiles><activeProfile>fenceline</activeProfile></activeProfiles>
                </settings>
                """.formatted(
                        local.toUri(), folder.resolve("repository").toUri()));
    }

    @Test
    void thePomOfTheTutorialCompilesTutorialAndReadme() throws Exception {
        Path project = Files.createDirectories(folder.resolve("project"));
        Path sources = Files.createDirectories(project.resolve("src/main/java"));
        Files.writeString(project.resolve("pom.xml"), found(POM, ROOT.resolve("docs/tutorial.md")));
        for (DocumentationPage page : DocumentationPage.withJava()) {
            if (page.file().endsWith("tutorial.md")) {
                for (CodeBlock unit : page.units()) {
                    Files.writeString(sources.resolve(unit.unit().orElseThrow() + ".java"), unit.text());
                }
            } else if (page.file().endsWith("README.md")) {
                Path readme = Files.createDirectories(sources.resolve("readme"));
                List<CodeBlock> withoutSpring = page.snippets().stream()
                        .filter(block -> !block.names(List.of("org.springframework")))
                        .toList();
                Files.writeString(readme.resolve("Page.java"), CodeBlock.program("readme", withoutSpring));
            }
        }

        Path output = folder.resolve("output");
        String compile = "org.apache.maven.plugins:maven-compiler-plugin:" + found(COMPILER, ROOT.resolve("pom.xml"))
                + ":compile";
        String fresh = "-Dmaven.repo.local=" + folder.resolve("fresh");
        int exit = new ProcessBuilder(
                        "mvn",
                        "-B",
                        "-ntp",
                        "-s",
                        folder.resolve("settings.xml").toString(),
                        fresh,
                        compile)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();

        assertThat(exit).as(Files.readString(output)).isZero();
        try (Stream<Path> classes = Files.walk(project.resolve("target/classes"))) {
            assertThat(classes.map(file -> file.getFileName().toString())).contains("Seller.class", "Page.class");
        }
    }

    private static String found(Pattern pattern, Path file) throws IOException {
        Matcher matcher = pattern.matcher(Files.readString(file));
        assertThat(matcher.find()).as(file + " has " + pattern).isTrue();
        return matcher.group(1);
    }
}
