package io.fenceline.spring.boot.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.testkit.JvmCommand;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** An application that Spring processes ahead of time starts from what that generated, on the JVM and as a native image. */
@Timeout(300)
class AotTest {

    private static final String[] PROPERTIES = {
        "--spring.main.web-application-type=none",
        "--spring.main.banner-mode=off",
        "--spring.datasource.url=jdbc:h2:mem:aot",
        "--fenceline.store=jdbc",
        "--fenceline.elections.billing.claims=bookings"
    };

    private static final String OUTCOME = "paid with 000000000000001, led in 000000000000001";

    @TempDir
    Path folder;

    @Test
    void aProcessedApplicationLocksAndLeads() throws Exception {
        List<String> command = new ArrayList<>(JvmCommand.with(
                List.of("-Dspring.aot.enabled=true", "-XX:TieredStopAtLevel=1"), AotNode.class, PROPERTIES));
        int path = command.indexOf("-cp") + 1;
        command.set(path, process(command.get(path)));

        assertThat(run(command)).contains("Starting AOT-processed").contains(OUTCOME);

        command.add("--fenceline.elections.billing.enabled=false");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> run(command))
                .withMessageContaining("fenceline.elections[billing] is not enabled");
    }

    @Test
    @Timeout(1800)
    void aNativeImageLocksAndLeads() throws Exception {
        Optional<Path> builder = nativeImageBuilder();
        if (builder.isEmpty()) {
            System.err.println("SKIPPED: no native-image on the PATH, so no native image of an application was built");
        }
        assumeTrue(builder.isPresent(), "no native-image on the PATH");
        String image = folder.resolve("node").toString();
        run(List.of(
                "" + builder.orElseThrow(),
                "--no-fallback",
                "-cp",
                process(System.getProperty("java.class.path")),
                AotNode.class.getName(),
                image));

        assertThat(run(Stream.concat(Stream.of(image), Arrays.stream(PROPERTIES))
                        .toList()))
                .contains(OUTCOME);
    }

    private static Optional<Path> nativeImageBuilder() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(each -> Path.of(each, "native-image"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Generates code and resources, and returns the class path with them. */
    private String process(String classPath) throws Exception {
        Path sources = folder.resolve("sources");
        Path resources = folder.resolve("resources");
        Path classes = folder.resolve("classes");
        String[] arguments = Stream.concat(
                        Stream.of(
                                AotNode.class.getName(),
                                sources.toString(),
                                resources.toString(),
                                classes.toString(),
                                "io.fenceline",
                                "orders"),
                        Arrays.stream(PROPERTIES))
                .toArray(String[]::new);
        run(JvmCommand.of(SpringApplicationAotProcessor.class, arguments));
        compile(sources, classes);
        return String.join(File.pathSeparator, "" + classes, "" + resources, classPath);
    }

    private static void compile(Path sources, Path classes) throws Exception {
        Files.createDirectories(classes);
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-nowarn",
                "-d",
                classes.toString(),
                "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path")));
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .map(Path::toString)
                    .forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private static String run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
