package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.Grant;
import java.io.InputStream;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a command that waits prints. */
class WaitNoticeTest extends CommandTest {

    private final StringWriter errors = new StringWriter();

    private CompletableFuture<CommandRun> start(String uri, boolean terminal, String line) {
        return CompletableFuture.supplyAsync(
                        () -> CommandRun.of(
                                Map.of("FENCELINE_BACKEND", uri),
                                InputStream.nullInputStream(),
                                new StringWriter(),
                                errors,
                                terminal,
                                line.split(" ")),
                        command -> new Thread(command, "command").start())
                .orTimeout(FencelineProcess.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private void awaitError(String text) {
        await().atMost(FencelineProcess.PATIENCE)
                .untilAsserted(() -> assertThat(errors.toString()).contains(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"exec nightly -- true", "hold --for 0 nightly"})
    void namesTheLockAndItsHolderOnATerminal(String line) {
        Grant grant = store.hold("nightly", "alice");
        CompletableFuture<CommandRun> run = start(store.uri(), true, line);

        awaitError("fenceline: waiting for lock 'nightly', held by alice");

        store.backend().release(grant.key(), grant.lockId());
        assertThat(run.join().exitCode()).isZero();
        assertThat(errors.toString()).hasLineCount(1);
    }

    @Test
    void namesTheLeaderToACandidate() {
        Grant grant = store.hold("election:billing", "alice");
        CompletableFuture<CommandRun> run = start(store.uri(), true, "elect --once billing -- true");

        awaitError("fenceline: waiting for leadership of 'billing', held by alice");

        store.backend().release(grant.key(), grant.lockId());
        assertThat(run.join().exitCode()).isZero();
        assertThat(errors.toString()).hasLineCount(1);
    }

    @Test
    void isAskedForByVerbose() {
        store.hold("nightly", "alice");
        assertThat(start(store.uri(), false, "exec --verbose -w 0.1 nightly -- true")
                        .join()
                        .exitCode())
                .isEqualTo(1);
        assertThat(errors.toString())
                .startsWith("fenceline: waiting for lock 'nightly', held by alice")
                .hasLineCount(2);
    }

    @Test
    void isNothingIfTheCommandDoesNotWait() {
        store.hold("nightly", "alice");
        assertThat(start(store.uri(), true, "exec --verbose -n nightly -- true")
                        .join()
                        .err())
                .hasLineCount(1)
                .doesNotContain("waiting");
        assertThat(start(store.uri(), true, "exec --verbose free -- true").join())
                .isEqualTo(new CommandRun(0, "", errors.toString()));
        assertThat(errors.toString()).hasLineCount(1);
    }

    @Test
    void namesAStoreThatDoesNotAnswer() throws Exception {
        CompletableFuture<CommandRun> run;
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String uri = "postgresql://127.0.0.1:" + silent.getLocalPort() + "/db";
            run = start(uri, true, "exec -w 5 nightly -- true");

            awaitError("fenceline: waiting for the store '" + uri + "', which has not answered yet");
        }
        assertThat(run.join().exitCode()).isNotZero();
    }

    @Test
    void ofAStoreThatIsDownTellsHowLongItIsRetried() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        CommandRun run = start("redis://127.0.0.1:" + port, false, "exec -w 5 nightly -- true")
                .join();
        assertThat(run.err())
                .containsPattern("the store is failing; retrying for up to [0-9.]+s, until \\d\\d:\\d\\d:\\d\\d: ")
                .contains("127.0.0.1:" + port)
                .hasLineCount(2);
    }
}
