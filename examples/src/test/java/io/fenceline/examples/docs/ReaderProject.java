package io.fenceline.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A reader's project in a folder of its own. Sees the artifacts and drivers that a reader declares, and no class of the examples. */
final class ReaderProject {

    private static final String CLASS_PATH = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).startsWith(Path.of("target").toAbsolutePath()))
            .collect(Collectors.joining(File.pathSeparator));

    /** Names of what cannot be on a module path: several jars of Firestore's client have the same packages. */
    static final List<String> NO_MODULES = List.of("Firestore");

    /** Jars for the module path by the beginning of their names: what docs/installing.md and the pages name, with what it needs in turn. */
    private static final Pattern MODULES =
            Pattern.compile("(fenceline-(?!firestore|servers|examples)|HikariCP|slf4j|postgresql|checker-qual"
                    + "|mariadb-java|sqlite-jdbc|lettuce|redis-authx|netty|reactor|reactive-streams|jackson-core|jakarta.persistence|jakarta.servlet"
                    + "|jakarta.jms|hibernate|jboss-logging|antlr4|micrometer|HdrHistogram|spring|commons-logging|kafka-clients|amqp-client|jspecify"
                    + "|junit|opentest4j|apiguardian|assertj|byte-buddy|awaitility|hamcrest"
                    + "|shedlock|redisson|cache-api|rxjava|kryo|reflectasm|objenesis|minlog|snakeyaml|jodd).*");

    private static final String MODULE_PATH = Stream.of(CLASS_PATH.split(File.pathSeparator))
            .filter(entry -> MODULES.matcher(nameOf(Path.of(entry))).matches())
            .collect(Collectors.joining(File.pathSeparator));

    private final Path folder;
    private final Path classes;
    private final boolean module;
    private final List<Path> sources = new ArrayList<>();

    private ReaderProject(Path folder, boolean module) throws IOException {
        this.folder = folder;
        this.classes = Files.createDirectories(folder.resolve("classes"));
        this.module = module;
    }

    static ReaderProject onClassPath(Path folder) throws IOException {
        return new ReaderProject(folder, false);
    }

    /** Creates a project that is a module and requires every module it can see but those of Netty, which need others for what nobody uses. */
    static ReaderProject onModulePath(Path folder) throws IOException {
        ReaderProject project = new ReaderProject(folder, true);
        project.add(
                "module-info",
                "open module reader { requires java.se; requires jdk.httpserver; " + requirements() + "}");
        return project;
    }

    private static String requirements() {
        Path[] entries =
                Stream.of(MODULE_PATH.split(File.pathSeparator)).map(Path::of).toArray(Path[]::new);
        return ModuleFinder.of(entries).findAll().stream()
                .map(found -> found.descriptor().name())
                .filter(name -> !name.startsWith("io.netty"))
                .map(name -> "requires " + name + "; ")
                .collect(Collectors.joining());
    }

    /** Returns the name of a jar, or the artifact's name of a folder {@code MODULE/target/classes}. */
    private static String nameOf(Path entry) {
        return entry.endsWith("target/classes")
                ? "fenceline-" + entry.getParent().getParent().getFileName()
                : entry.getFileName().toString();
    }

    void add(String name, String source) throws IOException {
        Path file = folder.resolve("src").resolve(name + ".java");
        Files.createDirectories(file.getParent());
        sources.add(Files.writeString(file, source));
    }

    void compile() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = module
                    ? List.of("-d", classes.toString(), "--module-path", MODULE_PATH, "-proc:none")
                    : List.of("-d", classes.toString(), "-cp", CLASS_PATH, "-proc:none");
            boolean compiled = compiler.getTask(
                            messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    Process start(Path output, Map<String, String> environment, String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            command.add("--illegal-native-access=allow"); // or Java would warn of SQLite's driver
        }
        if (module) {
            command.addAll(
                    List.of("--module-path", classes + File.pathSeparator + MODULE_PATH, "-m", "reader/" + main));
        } else {
            command.addAll(List.of("-cp", classes + File.pathSeparator + CLASS_PATH, main));
        }
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(environment);
        return builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    String run(Map<String, String> environment, String main, String... arguments)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = start(output, environment, main, arguments);
        process.getOutputStream().close(); // a reader who presses Enter at once
        boolean ended = process.waitFor(2, TimeUnit.MINUTES);
        process.destroyForcibly().waitFor();
        String printed = Files.readString(output);
        assertThat(ended).as("it ends: " + printed).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }
}
