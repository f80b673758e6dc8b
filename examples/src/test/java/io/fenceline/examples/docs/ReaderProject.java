package io.fenceline.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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

    private final Path folder;
    private final Path classes;
    private final List<Path> sources = new ArrayList<>();

    ReaderProject(Path folder) throws IOException {
        this.folder = folder;
        this.classes = Files.createDirectories(folder.resolve("classes"));
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
            List<String> options = List.of("-d", classes.toString(), "-cp", CLASS_PATH, "-proc:none");
            boolean compiled = compiler.getTask(
                            messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    Process start(Path output, Map<String, String> environment, String... mainAndArguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes + File.pathSeparator + CLASS_PATH));
        command.addAll(List.of(mainAndArguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(environment);
        return builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    String run(Map<String, String> environment, String... mainAndArguments) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = start(output, environment, mainAndArguments);
        process.getOutputStream().close(); // a reader who presses Enter at once
        boolean ended = process.waitFor(2, TimeUnit.MINUTES);
        process.destroyForcibly().waitFor();
        String printed = Files.readString(output);
        assertThat(ended).as("it ends: " + printed).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }
}
