package io.fenceline.spring.boot.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.servers.PostgresServer;
import io.fenceline.testkit.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node that is ended by SIGTERM within a job: its lock is free when it has ended, and nothing uses the store after that was closed. */
@Timeout(120)
class ShutdownTest {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({"1000, 20s, job ended", "600000, 100ms, job interrupted"})
    void theLockIsFreeWhenTheNodeHasEnded(long jobMillis, String phaseLimit, String outcome) throws Exception {
        List<String> said = new ArrayList<>();
        Process node = node(jobMillis, phaseLimit);
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                said.add(line);
                if (line.equals("job begun")) {
                    node.toHandle().destroy(); // SIGTERM; destroy() of the process would close its output
                }
            }
            node.waitFor();
        } finally {
            node.destroyForcibly();
        }

        assertThat(said).contains("job begun", outcome);
        // A job that is interrupted reports that it lost its lease; its release still reaches the store.
        assertThat(said).noneMatch(line -> line.contains("BackendException") || line.contains("not released"));
        try (Locks next = Locks.open(server.uri());
                Lease lease = next.tryAcquire("job").orElseThrow()) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    private static Process node(long jobMillis, String phaseLimit) throws IOException {
        return new ProcessBuilder(JvmCommand.of(
                        JobNode.class,
                        "--spring.main.web-application-type=none",
                        "--spring.main.banner-mode=off",
                        "--spring.datasource.url=" + server.jdbcUrl("postgres"),
                        "--spring.lifecycle.timeout-per-shutdown-phase=" + phaseLimit,
                        "--fenceline.jdbc.initialize-schema=always",
                        "--fenceline.ttl=5m",
                        "--job.millis=" + jobMillis))
                .redirectErrorStream(true)
                .start();
    }
}
