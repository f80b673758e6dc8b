package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockKey;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockCatalog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole command line with real processes, on each kind of store. */
@ParameterizedClass
@EnumSource
class EveryStoreIT {

    private static final LockKey KEY = LockKey.of("k");
    private static final Duration TTL = Duration.ofSeconds(5);

    /** Says that it runs and waits to be stopped. */
    private static final String SLEEPS = "echo $$ > \"$0\"; exec sleep 1000";

    /** Says that it runs, and cannot be asked to stop. */
    private static final String STUBBORN =
            "trap '' TERM; echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; while :; do sleep 0.05; done";

    @Parameter
    private StoreKind kind;

    @TempDir
    private Path folder;

    private TestStore store;
    private Path pidFile;

    @BeforeEach
    void open() {
        store = kind.open(folder);
        pidFile = folder.resolve("pid");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CommandRun run(String... arguments) {
        return FencelineProcess.run(store.uri(), arguments);
    }

    private FencelineProcess start(String... arguments) {
        return FencelineProcess.start(store.uri(), arguments);
    }

    private FencingToken lastToken() {
        return store.backend()
                .ability(LockCatalog.class)
                .orElseThrow()
                .lastToken(KEY)
                .orElseThrow();
    }

    /** A busy machine may make the store answer late, which is said and waited for. */
    private static boolean succeeded(CommandRun run) {
        return run.exitCode() == 0
                && run.out().isEmpty()
                && run.err().lines().allMatch(line -> line.contains("the store is failing; retrying"));
    }

    @Test
    void countsExactlyAndGivesEveryProcessItsShare() throws Exception {
        int processes = 5;
        int increments = Integer.getInteger("fenceline.increments", 2);
        Path counter = Files.writeString(folder.resolve("counter"), "0");
        Path tokens = folder.resolve("tokens");
        String script = "n=$(cat \"$0\"); echo $((n + 1)) > \"$0\"; echo \"$FENCELINE_TOKEN\" >> \"$1\"";
        Callable<List<CommandRun>> share = () -> {
            List<CommandRun> runs = new ArrayList<>();
            for (int i = 0; i < increments; i++) {
                runs.add(run("exec", "k", "--", "sh", "-c", script, counter.toString(), tokens.toString()));
            }
            return runs;
        };
        ExecutorService workers = Executors.newFixedThreadPool(processes);
        try {
            for (Future<List<CommandRun>> worker : workers.invokeAll(Collections.nCopies(processes, share))) {
                assertThat(worker.get()).hasSize(increments).allMatch(EveryStoreIT::succeeded);
            }
        } finally {
            workers.shutdownNow();
        }
        assertThat(FencelineProcess.numberIn(counter)).isEqualTo((long) processes * increments);
        assertThat(Files.readAllLines(tokens))
                .hasSize(processes * increments)
                .doesNotHaveDuplicates()
                .isSorted()
                .allMatch(token -> token.length() == 15);
    }

    /** {@link ExecIT} sends the other signals, which take the same way. */
    @Test
    void leavesNothingLockedWhenASignalEndsTheWait() throws Exception {
        FencelineProcess.requireHeard("TERM");
        try (FencelineProcess holder = start("hold", "k")) {
            await().atMost(FencelineProcess.PATIENCE).until(() -> store.isLocked("k"));
            FencingToken held = lastToken();
            try (FencelineProcess waiter = start("exec", "k", "--", "true")) {
                waiter.awaitOpen(store);
                waiter.signal("TERM");
                assertThat(waiter.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
            }
            holder.jvm().outputWriter().close();
            assertThat(holder.end().exitCode()).isZero();
            assertThat(lastToken()).isEqualTo(held);
        }
        assertThat(store.isLocked("k")).isFalse();
        assertThat(run("exec", "-n", "k", "--", "true")).isEqualTo(new CommandRun(0, "", ""));
    }

    @Test
    void endsTheCommandByASignalAndReleases() {
        try (FencelineProcess exec = start("exec", "k", "--", "sh", "-c", SLEEPS, pidFile.toString())) {
            long child = FencelineProcess.numberIn(pidFile);
            exec.signal("TERM");
            assertThat(exec.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
            assertThat(FencelineProcess.isRunning(child)).isFalse();
        }
        assertThat(store.isLocked("k")).isFalse();
    }

    @Test
    void startsAWaiterWhenTheHolderEnds() {
        try (FencelineProcess holder = start("hold", "k")) {
            await().atMost(FencelineProcess.PATIENCE).until(() -> store.isLocked("k"));
            FencingToken held = lastToken();
            try (FencelineProcess waiter = start("exec", "k", "--", "sh", "-c", "echo $FENCELINE_TOKEN")) {
                waiter.awaitOpen(store);
                holder.signal("TERM");
                CommandRun end = waiter.end();
                assertThat(end.err()).isEmpty();
                assertThat(FencingToken.parse(end.out())).isGreaterThan(held);
            }
        }
    }

    @Test
    void leavesTheLockToTheNextOneWhenItIsKilled() {
        try (FencelineProcess exec = startStubborn(store.uri())) {
            long child = FencelineProcess.numberIn(pidFile);
            FencingToken lost = lastToken();
            exec.signal("KILL");

            CommandRun next = run("exec", "k", "--", "sh", "-c", "echo $FENCELINE_TOKEN");

            assertThat(next.err()).isEmpty();
            assertThat(FencingToken.parse(next.out())).isGreaterThan(lost);
            assertThat(FencelineProcess.isRunning(child)).isFalse();
        }
    }

    @Test
    void stopsTheChildWhenTheLockIsReleasedByForce() {
        try (FencelineProcess exec = startStubborn(store.uri())) {
            long child = FencelineProcess.numberIn(pidFile);
            assertThat(run("release", "--force", "k").exitCode()).isZero();
            CommandRun end = exec.end();
            assertThat(end.err()).hasLineCount(1).contains("is lost: the store no longer has it");
            assertThat(end.exitCode()).isEqualTo(ExitCode.LEASE_LOST);
            assertThat(FencelineProcess.isRunning(child)).isFalse();
        }
    }

    @Test
    void letsAnotherLeadWithAGreaterTermWhenASignalEndsTheLeader() throws Exception {
        Path next = folder.resolve("next");
        String leads = "echo $FENCELINE_TOKEN > \"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 1000";
        try (FencelineProcess leader = start("elect", "g", "--", "sh", "-c", leads, pidFile.toString())) {
            long term = FencelineProcess.numberIn(pidFile);
            try (FencelineProcess other =
                    start("elect", "--candidate", "node 2", "g", "--", "sh", "-c", leads, next.toString())) {
                other.awaitOpen(store);
                leader.signal("TERM");
                assertThat(leader.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
                assertThat(FencelineProcess.numberIn(next)).isGreaterThan(term);
                assertThat(store.run("leaders").out())
                        .containsPattern("g +node 2 +0*" + FencelineProcess.numberIn(next));
                other.signal("TERM");
                assertThat(other.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
            }
        }
        assertThat(store.run("leaders")).isEqualTo(new CommandRun(0, "no group has a leader\n", ""));
    }

    @Test
    void tellsWhoHoldsWhatAndSetsItRight() {
        Grant grant = store.hold("k", "alice");
        String token = grant.token().text();
        assertThat(store.run("ls").out()).containsPattern("k +alice +" + token);
        assertThat(store.run("show", "k").out()).containsPattern("holder +alice");
        assertThat(store.run("exec", "-n", "k", "--", "true"))
                .isEqualTo(new CommandRun(1, "", "fenceline: lock 'k' is held by alice\n"));
        assertThat(store.run("exec", "-w", "0.3", "-E", "42", "k", "--", "true"))
                .isEqualTo(new CommandRun(42, "", "fenceline: lock 'k' is held by alice; waited 300ms\n"));
        assertThat(store.run("release", "--lock-id", grant.lockId().text()).exitCode())
                .isZero();
        assertThat(store.run("show", "k").exitCode()).isEqualTo(ExitCode.NO);
        assertThat(store.run("ls")).isEqualTo(new CommandRun(0, "no lock is held\n", ""));
        assertThat(store.run("token", "show", "k").out()).contains(token);
        FencingToken raised = FencingToken.of(grant.token().value() + 1_000_000);
        assertThat(store.run("token", "bump", "--at-least", raised.text(), "k").exitCode())
                .isZero();
        assertThat(store.hold("k", "bob").token()).isGreaterThan(raised);
    }

    @Test
    void examinesTheStore() {
        CommandRun doctor = run("doctor");
        assertThat(doctor.out()).contains("ok       ").doesNotContain("problem");
        assertThat(doctor.err()).isEmpty();
        for (String command : List.of("check", "install")) {
            CommandRun well = store.run("schema", command);
            assertThat(well.exitCode()).isZero();
            assertThat(well.out() + well.err()).containsAnyOf("the schema is complete", "needs no tables");
        }
        CommandRun print = run("schema", "print");
        assertThat(print.exitCode()).isZero();
        assertThat(print.out() + print.err()).containsAnyOf("CREATE TABLE", "needs no tables");
    }

    private FencelineProcess startStubborn(String uri) {
        return FencelineProcess.start(
                uri, "exec", "--ttl", TTL.toMillis() + "ms", "k", "--", "sh", "-c", STUBBORN, pidFile.toString());
    }
}
