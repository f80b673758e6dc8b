package io.fenceline.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last step of the tutorial with processes: one is stopped while it holds the lock, and another one takes it. */
class TutorialTest {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void aSellerThatWasStoppedIsRefused() throws Exception {
        DocumentationPage tutorial = DocumentationPage.withJava().stream()
                .filter(page -> page.file().endsWith("tutorial.md"))
                .findFirst()
                .orElseThrow();
        try (DocumentedServers servers = new DocumentedServers()) {
            servers.reset(tutorial.tables());
            ReaderProject project = ReaderProject.onClassPath(folder);
            for (CodeBlock unit : tutorial.units()) {
                project.add(unit.unit().orElseThrow(), servers.withRealAddresses(unit.text()));
            }
            project.compile();

            Path first = folder.resolve("first");
            Process stopped = project.start(first, servers.environment(), "Seller");
            await().atMost(LIMIT).until(() -> Files.readString(first).contains("reads 10"));
            signal("STOP", stopped);
            assertThat(project.run(servers.environment(), "Seller")).contains("reads 10", "writes 9");
            signal("CONT", stopped);
            stopped.getOutputStream().close();

            assertThat(stopped.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(first))
                    .contains("refused: a holder with token 000000000000002 is at work")
                    .doesNotContain("writes");
        }
    }

    private static void signal(String name, Process process) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
