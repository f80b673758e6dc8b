package io.fenceline.spring.boot.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.testkit.JvmCommand;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** An application that Spring processes ahead of time starts from what that generated, on the JVM. */
@Timeout(300)
class AotTest {

    private static final String[] PROPERTIES = {
        "--spring.main.web-application-type=none",
        "--spring.main.banner-mode=off",
        "--spring.datasource.url=jdbc:h2:mem:aot",
        "--fenceline.store=jdbc",
        "--fenceline.elections.billing.claims=bookings"
    };

    @TempDir
    Path folder;

    @Test
    void aProcessedApplicationLocksAndLeads() throws Exception {
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

        List<String> command = new ArrayList<>(JvmCommand.with(
                List.of("-Dspring.aot.enabled=true", "-XX:TieredStopAtLevel=1"), AotNode.class, PROPERTIES));
        int path = command.indexOf("-cp") + 1;
        command.set(path, String.join(File.pathSeparator, "" + classes, "" + resources, command.get(path)));

        assertThat(run(command))
                .contains("Starting AOT-processed")
                .contains("paid with 000000000000001, led in 000000000000001");
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
