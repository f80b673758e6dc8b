package io.fenceline.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The rules by Prometheus's own tool. It is taken from the path or from where {@code FENCELINE_PROMTOOL} says; without it nothing
 * is shown here.
 */
class AlertRulesTest {

    private static Path promtool;

    @BeforeAll
    static void find() {
        Optional<Path> found = candidates().filter(Files::isExecutable).findFirst();
        if (found.isEmpty()) {
            String text =
                    "NOT SHOWN: that the alert rules parse, fire and stay quiet. promtool is neither on the path nor where"
                            + " FENCELINE_PROMTOOL says; it is a part of Prometheus (Debian: apt-get install prometheus)";
            System.err.println(text);
            Assumptions.abort(text);
        }
        promtool = found.orElseThrow();
    }

    private static Stream<Path> candidates() {
        String named = System.getenv("FENCELINE_PROMTOOL");
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(
                Optional.ofNullable(named).map(Path::of).stream(),
                Arrays.stream(path.split(File.pathSeparator))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, "promtool")));
    }

    @Test
    void areRulesThatPrometheusTakes() throws Exception {
        assertThat(run("check", "rules", "fenceline-rules.yml"))
                .contains("SUCCESS: " + Operations.rules().size());
    }

    @Test
    void areOneForEachOutage() throws Exception {
        assertThat(run("test", "rules", "fenceline-outages-test.yml"))
                .contains("SUCCESS")
                .doesNotContain("FAILED");
    }

    @Test
    void fireWhenTheyShouldAndStayQuietElse() throws Exception {
        assertThat(run("test", "rules", "fenceline-rules-test.yml"))
                .contains("SUCCESS")
                .doesNotContain("FAILED");
    }

    private static String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = Stream.concat(Stream.of(promtool.toString()), Arrays.stream(arguments))
                .toList();
        Path output = Files.createTempFile("promtool", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(Operations.RULES.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            process.destroyForcibly();
            String text = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(ended).as("promtool ended in time: " + text).isTrue();
            assertThat(process.exitValue()).as(text).isZero();
            return text;
        } finally {
            Files.delete(output);
        }
    }
}
