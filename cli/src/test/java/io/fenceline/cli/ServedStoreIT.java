package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.cli.output.ExitCode;
import io.fenceline.testkit.net.FaultProxy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is different where the store is a server: a network that fails, and a password that nobody is to see. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
class ServedStoreIT {

    private static final String STUBBORN = "trap '' TERM; echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\";"
            + " while [ ! -e \"$0.finish\" ]; do sleep 0.05; done";

    @Parameter
    private StoreKind kind;

    @TempDir
    private Path folder;

    private TestStore store;
    private FaultProxy proxy;

    @BeforeEach
    void open() {
        store = kind.open(folder);
        proxy = FaultProxy.to("127.0.0.1", URI.create(store.uri()).getPort());
    }

    @AfterEach
    void close() {
        proxy.close();
        store.close();
    }

    private String uriThroughProxy() {
        return store.uri().replace(":" + URI.create(store.uri()).getPort(), ":" + proxy.port());
    }

    @Test
    void stopsTheChildInTimeWhenTheStoreFallsSilent() {
        Path pidFile = folder.resolve("pid");
        try (FencelineProcess exec = FencelineProcess.start(
                uriThroughProxy(), "exec", "--ttl", "5s", "k", "--", "sh", "-c", STUBBORN, pidFile.toString())) {
            long child = FencelineProcess.numberIn(pidFile);

            proxy.stall();

            CommandRun end = exec.end();
            assertThat(end.err()).contains("is lost: its time ran out before it was renewed");
            assertThat(end.exitCode()).isEqualTo(ExitCode.LEASE_LOST);
            assertThat(FencelineProcess.isRunning(child)).isFalse();
        }
    }

    @Test
    void givesUpWhenItSaidThoughTheStoreFailedFirst() throws IOException {
        proxy.refuse();
        String[] command = {"exec", "-w", "8", "k", "--", "true"};
        store.hold("k", "alice");
        try (FencelineProcess exec = FencelineProcess.start(uriThroughProxy(), command)) {
            assertThat(exec.jvm().errorReader().readLine()).contains("the store is failing");

            proxy.heal();

            assertThat(exec.end().err())
                    .contains("lock 'k' is held by alice; waited ")
                    .doesNotContain("waited 8.0s");
        }
    }

    @Test
    void keepsTheMinimumHoldAlthoughTheStoreFailsWhenTheJobEnds() throws IOException {
        Path pidFile = folder.resolve("pid");
        String[] command = {
            "exec", "--ttl", "1m", "--at-least", "10m", "k", "--", "sh", "-c", STUBBORN, pidFile.toString()
        };
        try (FencelineProcess exec = FencelineProcess.start(uriThroughProxy(), command)) {
            FencelineProcess.numberIn(pidFile);
            proxy.refuse();
            proxy.cut();
            Files.createFile(folder.resolve("pid.finish"));
            assertThat(exec.jvm().errorReader().readLine()).contains("the store is failing");

            proxy.heal();

            assertThat(exec.end()).isEqualTo(new CommandRun(0, "", ""));
        }
        String shown =
                store.run("show", "--json", "k").out().replaceAll("(?s).*\"remainingMillis\" ?: ?(\\d+).*", "$1");
        assertThat(Duration.ofMillis(Long.parseLong(shown))).isGreaterThan(Duration.ofMinutes(5));
    }

    @Test
    void freesTheLockAlthoughItsConnectionIsCutWhenTheJobEnds() throws IOException {
        Path pidFile = folder.resolve("pid");
        String[] command = {"exec", "--ttl", "1h", "k", "--", "sh", "-c", STUBBORN, pidFile.toString()};
        try (FencelineProcess exec = FencelineProcess.start(uriThroughProxy(), command)) {
            FencelineProcess.numberIn(pidFile);
            proxy.refuse();
            proxy.cut();
            Files.createFile(folder.resolve("pid.finish"));
            assertThat(exec.jvm().errorReader().readLine()).contains("the store is failing");

            proxy.heal();

            assertThat(exec.end()).isEqualTo(new CommandRun(0, "", ""));
        }
        assertThat(store.isLocked("k")).isFalse();
    }

    @Test
    void saysThatALockStaysTakenWhereItCannotBeReleasedAtASignal() throws Exception {
        FencelineProcess.requireHeard("TERM");
        String[] command = {"hold", "--ttl", "1h", "--until-signal", "k"};
        try (FencelineProcess hold = FencelineProcess.start(uriThroughProxy(), command)) {
            await().atMost(FencelineProcess.PATIENCE).until(() -> store.isLocked("k"));
            assertThat(hold.jvm().inputReader().readLine()).contains("k");
            proxy.refuse();
            proxy.cut();

            hold.signal("TERM");

            CommandRun end = hold.end();
            assertThat(end.exitCode()).isEqualTo(128 + 15);
            assertThat(end.err())
                    .hasLineCount(1)
                    .startsWith("fenceline: lock 'k' was not released; it expires within 1h 0m: ");
        }
    }

    /** As one that was restarted without its data. */
    @Test
    void saysThatTheMinimumHoldIsLostIfTheStoreHasForgottenTheLease() throws IOException {
        Path pidFile = folder.resolve("pid");
        String[] command = {
            "exec", "--ttl", "1m", "--at-least", "10m", "k", "--", "sh", "-c", STUBBORN, pidFile.toString()
        };
        try (FencelineProcess exec = FencelineProcess.start(uriThroughProxy(), command)) {
            FencelineProcess.numberIn(pidFile);
            proxy.refuse();
            proxy.cut();
            Files.createFile(folder.resolve("pid.finish"));
            assertThat(exec.jvm().errorReader().readLine()).contains("the store is failing");

            store.run("release", "--force", "k");
            proxy.heal();

            CommandRun end = exec.end();
            assertThat(end.exitCode()).isZero();
            assertThat(end.err())
                    .isEqualTo(
                            "fenceline: lock 'k' may not be kept for 10m 0s: when the store answered again, it had no such lease");
        }
    }

    @Test
    void tellsInOneLineThatTheStoreIsAway() {
        proxy.refuse();
        CommandRun ls = FencelineProcess.run(uriThroughProxy(), "ls");
        assertThat(ls.exitCode()).isIn(ExitCode.STORE_UNAVAILABLE, ExitCode.STORE_TIMEOUT);
        assertThat(ls.err()).hasLineCount(1).contains("127.0.0.1:" + proxy.port());
        assertThat(ls.out()).isEmpty();
    }

    @Test
    void tellsInOneLineThatThePasswordIsWrong() {
        CommandRun ls = FencelineProcess.run(store.uri().replace(StoreKind.PASSWORD, "wr0ng"), "ls");
        assertThat(ls.exitCode()).isEqualTo(ExitCode.STORE_REFUSED);
        assertThat(ls.err()).hasLineCount(1).doesNotContain("wr0ng");
    }

    @ParameterizedTest
    @ValueSource(strings = {"doctor --json", "exec -w 0 k -- true"})
    void printsNoPassword(String line) {
        for (int i = 0; i < 2; i++) {
            try (FencelineProcess command = FencelineProcess.start(
                    Map.of("FENCELINE_BACKEND", uriThroughProxy(), "FENCELINE_DEBUG", "1"), line.split(" "))) {
                CommandRun end = command.end();
                assertThat(end.out() + end.err())
                        .doesNotContain(StoreKind.PASSWORD)
                        .doesNotContain(StoreKind.PASSWORD_DECODED);
            }
            proxy.refuse(); // and the same again without a store
        }
    }

    @Test
    void handsAPasswordOnOnlyWhereItCameFrom() {
        String[] print = {"exec", "k", "--", "sh", "-c", "echo \"$FENCELINE_BACKEND\""};
        assertThat(FencelineProcess.run(store.uri(), print).out()).isEqualTo(store.uri());

        String[] withOption = {"exec", "--backend", store.uri(), "k", "--", "sh", "-c", "echo \"$FENCELINE_BACKEND\""};
        assertThat(FencelineProcess.run("", withOption).out())
                .doesNotContain(StoreKind.PASSWORD)
                .endsWith(store.uri().substring(store.uri().indexOf("127.0.0.1")));
    }
}
