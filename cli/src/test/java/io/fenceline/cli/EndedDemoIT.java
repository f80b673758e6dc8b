package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A demo that a signal ends while its first worker is stopped. */
class EndedDemoIT {

    private static final Pattern STOPPED = Pattern.compile("SIGSTOP to process (\\d+)");

    @Test
    void leavesNoWorkerAndNoFiles(@TempDir Path folder) throws Exception {
        FencelineProcess.requireHeard("TERM");
        try (FencelineProcess demo =
                FencelineProcess.start(Map.of("FENCELINE_JAVA_OPTS", "-Djava.io.tmpdir=" + folder), "demo")) {
            long worker = stoppedWorker(demo.jvm().inputReader());

            demo.signal("TERM");

            CommandRun end = demo.end();
            assertThat(end.exitCode()).isEqualTo(128 + 15);
            assertThat(end.err()).isEmpty();
            await().until(() -> ProcessHandle.of(worker).isEmpty());
            assertThat(folder).isEmptyDirectory();
        }
    }

    private static long stoppedWorker(BufferedReader output) throws Exception {
        while (true) {
            Matcher stopped = STOPPED.matcher(output.readLine());
            if (stopped.find()) {
                return Long.parseLong(stopped.group(1));
            }
        }
    }
}
