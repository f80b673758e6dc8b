package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.LockKey;
import io.fenceline.cli.context.ProcessEnvironment;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockCatalog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code fenceline exec} with real processes. */
class ExecIT extends CommandTest {

    private static final LockKey KEY = LockKey.of("k");

    /** Says that it runs and waits to be stopped. */
    private static final String SLEEPS = "echo $$ > \"$0\"; exec sleep 1000";

    private Path pidFile;

    @BeforeEach
    void setUp() {
        pidFile = folder.resolve("pid");
    }

    private CommandRun run(String... arguments) {
        return FencelineProcess.run(store.uri(), arguments);
    }

    private FencelineProcess start(String... arguments) {
        return FencelineProcess.start(store.uri(), arguments);
    }

    private long lastToken() {
        return store.backend()
                .ability(LockCatalog.class)
                .orElseThrow()
                .lastToken(KEY)
                .orElseThrow()
                .value();
    }

    @Test
    void keepsItsTemporaryFilesWhereTheEnvironmentSays(@TempDir Path temporary) {
        Map<String, String> variables = Map.of("FENCELINE_BACKEND", store.uri(), "TMPDIR", temporary.toString());
        try (FencelineProcess exec = FencelineProcess.start(variables, "exec", "k", "--", "ls", temporary.toString())) {
            assertThat(exec.end().out()).contains("fl-exec-");
        }
    }

    @Test
    void keepsWhatJavaPrintsAtQuitOutOfTheOutputOfItsCommand() throws Exception {
        String report =
                "echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; while [ ! -e \"$0.go\" ]; do sleep 0.05; done; echo report";
        try (FencelineProcess exec = start("exec", "k", "--", "sh", "-c", report, pidFile.toString())) {
            FencelineProcess.numberIn(pidFile);
            exec.signal("QUIT");
            assertThat(exec.jvm().errorReader().readLine()).isNotBlank();
            Files.createFile(folder.resolve("pid.go"));

            CommandRun end = exec.end();
            assertThat(end.out()).isEqualTo("report");
            assertThat(end.exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP"})
    void endsAtASignalAlsoWhileItRepeatsTheReleaseAfterItsCommand(String signal) throws Exception {
        FencelineProcess.requireHeard(signal);
        String removesTheStore = "rm -f \"$0\"*; exit 3";
        try (FencelineProcess exec =
                start("exec", "--ttl", "1h", "--at-least", "2h", "k", "--", "sh", "-c", removesTheStore, storeFile())) {
            assertThat(exec.jvm().errorReader().readLine()).contains("the store is failing; retrying for up to");
            exec.signal(signal);
            CommandRun end = exec.end();
            assertThat(end.err()).hasLineCount(1).contains("lock 'k' was not released", "may not be kept for 2h 0m");
            assertThat(end.exitCode()).isEqualTo(3);
        }
    }

    private String storeFile() {
        return store.uri().substring("sqlite:".length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "HUP"})
    void leavesNothingLockedWhenAnotherSignalEndsTheWait(String signal) throws Exception {
        FencelineProcess.requireHeard(signal);
        int number = Map.of("INT", 2, "HUP", 1).get(signal);
        try (FencelineProcess holder = FencelineProcess.start(store.uri(), "hold", "k")) {
            await().atMost(FencelineProcess.PATIENCE).until(() -> store.isLocked("k"));
            try (FencelineProcess waiter = FencelineProcess.start(store.uri(), "exec", "k", "--", "true")) {
                waiter.awaitOpen(store);
                waiter.signal(signal);
                assertThat(waiter.end()).isEqualTo(new CommandRun(128 + number, "", ""));
            }
            holder.jvm().outputWriter().close();
            assertThat(holder.end().exitCode()).isZero();
        }
        assertThat(store.isLocked("k")).isFalse();
        assertThat(run("exec", "-n", "k", "--", "true")).isEqualTo(new CommandRun(0, "", ""));
    }

    @Nested
    class TheChild {

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 3, 122, 255})
        void passesItsExitStatusOn(int status) {
            assertThat(run("exec", "k", "--", "sh", "-c", "exit " + status)).isEqualTo(new CommandRun(status, "", ""));
            assertThat(store.isLocked("k")).isFalse();
        }

        @Test
        void thatASignalEndedIs128AndItsNumber() {
            assertThat(run("exec", "k", "--", "sh", "-c", "kill -s USR1 $$").exitCode())
                    .isEqualTo(128 + 10);
            assertThat(store.isLocked("k")).isFalse();
        }

        @Test
        void hasOurStreams() throws Exception {
            try (FencelineProcess exec = start("exec", "k", "--", "sh", "-c", "cat; echo complaint >&2; exit 4")) {
                try (var stdin = exec.jvm().outputWriter()) {
                    stdin.write("one\ntwo\n");
                }
                assertThat(exec.end()).isEqualTo(new CommandRun(4, "one\ntwo", "complaint"));
            }
        }

        @Test
        void findsTheGrantInItsEnvironment() {
            String script = "echo \"$FENCELINE_TOKEN $FENCELINE_KEY $FENCELINE_LOCK_ID $FENCELINE_BACKEND\"";
            assertThat(run("exec", "k", "--", "sh", "-c", script).out())
                    .matches("000000000000001 k [\\w-]{22} \\Q" + store.uri() + "\\E");
        }

        /** Of any name: the launcher is a script with variables of its own. */
        @ParameterizedTest
        @ValueSource(strings = {"version", "name", "value", "prefix", "archive", "lock", "home", "java", "main"})
        void hasTheVariablesOfTheCaller(String name) {
            Map<String, String> variables =
                    Map.of("FENCELINE_BACKEND", store.uri(), "LC_ALL", "", "LANG", "POSIX", name, "the caller's");
            try (FencelineProcess exec = FencelineProcess.start(variables, "exec", "k", "--", "env")) {
                assertThat(exec.end().out().lines())
                        .contains(name + "=the caller's")
                        .noneMatch(variable -> variable.startsWith("LC_ALL="));
            }
        }

        /** As in scripts of bash, whose functions the launcher gets too where the shell is bash. */
        @Test
        void hasTheFunctionsOfTheCaller() {
            assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "there is no bash");
            String script = """
                    exec env 'BASH_FUNC_prepare%%=() { echo "prepared $1"; }' \\
                        bash "$FENCELINE" exec k -- bash -c 'prepare job'
                    """;
            CommandRun exec = FencelineProcess.shell(store.uri(), script);
            assertThat(exec).isEqualTo(new CommandRun(0, "prepared job", ""));
        }

        @Test
        void getsItsWordsAsTheyAreWhereAPartOfTheLocaleIsNotInstalled() {
            Map<String, String> variables =
                    Map.of("FENCELINE_BACKEND", store.uri(), "LC_ALL", "", "LANG", "C.UTF-8", "LC_TIME", "xx_XX.UTF-8");
            try (FencelineProcess exec = FencelineProcess.start(
                    variables, "exec", "käse", "--", "sh", "-c", "echo \"$LC_ALL$FENCELINE_KEY\"")) {
                assertThat(exec.end().out()).isEqualTo("käse");
            }
        }

        @Test
        void mayHaveAnEqualsSignInItsName(@TempDir Path folder) throws Exception {
            Path job = Files.createSymbolicLink(folder.resolve("day=1"), Path.of("/bin/echo"));
            Map<String, String> variables = Map.of("FENCELINE_BACKEND", store.uri(), "LC_ALL", "POSIX");
            try (FencelineProcess exec = FencelineProcess.start(variables, "exec", "k", "--", job.toString(), "done")) {
                assertThat(exec.end()).isEqualTo(new CommandRun(0, "done", ""));
            }
        }

        /** Also of a locale that is not installed: ssh brings the one of another machine along. */
        @ParameterizedTest
        @ValueSource(strings = {"POSIX", "xx_XX.UTF-8"})
        void getsItsWordsAsTheyAreAndTheCallersLocale(String locale) {
            Map<String, String> variables =
                    Map.of("FENCELINE_BACKEND", store.uri(), "LC_ALL", locale, ProcessEnvironment.CALLERS_LOCALE, "C");
            String script = "printf '%s|' \"$LC_ALL\" \"$@\"";
            try (FencelineProcess exec = FencelineProcess.start(
                    variables, "exec", "k", "--", "sh", "-c", script, "sh", "", "two words", "ü", "@x", "--", "-h")) {
                assertThat(exec.end()).isEqualTo(new CommandRun(0, locale + "||two words|ü|@x|--|-h|", ""));
            }
        }

        @Test
        void hasTheLocaleOfTheCommandThatStartedFencelineAndNotThatOfAFencelineAroundIt() {
            Map<String, String> variables = Map.of(
                    "FENCELINE_BACKEND", store.uri(), "LC_ALL", "C.UTF-8", ProcessEnvironment.CALLERS_LOCALE, "");
            try (FencelineProcess exec =
                    FencelineProcess.start(variables, "exec", "k", "--", "sh", "-c", "echo \"$LC_ALL\"")) {
                assertThat(exec.end()).isEqualTo(new CommandRun(0, "C.UTF-8", ""));
            }
        }

        @Test
        void isWatchedWhateverThePathIs() {
            Map<String, String> variables = Map.of("FENCELINE_BACKEND", store.uri(), "PATH", "/nowhere");
            String leads = "read -r _ _ _ _ _ session _ </proc/$$/stat; [ $session = $$ ]";
            try (FencelineProcess exec = FencelineProcess.start(variables, "exec", "k", "--", "/bin/sh", "-c", leads)) {
                assertThat(exec.end()).isEqualTo(new CommandRun(0, "", ""));
            }
        }

        @Test
        void readsNoFileOfJavasInThePlaceOfAClosedInput() throws Exception {
            String launcher =
                    Path.of("..", "fenceline").toAbsolutePath().normalize().toString();
            ProcessBuilder shell = new ProcessBuilder(
                    "sh", "-c", launcher + " exec k -- cat <&-; echo $?; " + launcher + " ls >&-; echo $?");
            shell.environment().put("FENCELINE_BACKEND", store.uri());
            Process exec = shell.redirectError(ProcessBuilder.Redirect.DISCARD).start();
            assertThat(exec.inputReader().lines()).containsExactly("1", Integer.toString(ExitCode.SYSTEM));
        }

        @Test
        void runsWhileTheLockIsHeldByWhomTheHolderSays() {
            try (FencelineProcess exec =
                    start("exec", "--holder", "the nightly job", "k", "--", "sh", "-c", SLEEPS, pidFile.toString())) {
                FencelineProcess.numberIn(pidFile);
                assertThat(store.backend()
                                .lookup(KEY)
                                .map(lease -> lease.holder().text()))
                        .contains("the nightly job");
                exec.signal("TERM");
                exec.end();
            }
        }

        @Test
        void thatIsMissingIs127AndLeavesNothingLocked() {
            CommandRun run = run("exec", "k", "--", "no-such-command");
            assertThat(run).isEqualTo(new CommandRun(127, "", "fenceline: no-such-command: command not found"));
            assertThat(store.isLocked("k")).isFalse();
        }

        @Test
        void thatMayNotBeExecutedIs126() throws Exception {
            Path text = Files.writeString(folder.resolve("text"), "text");
            assertThat(run("exec", "k", "--", text.toString()).exitCode()).isEqualTo(126);
            assertThat(store.isLocked("k")).isFalse();
        }

        @Test
        void outlivesTheTtlSinceTheLeaseIsRenewed() {
            assertThat(run("exec", "--ttl", "8s", "k", "--", "sleep", "10")).isEqualTo(new CommandRun(0, "", ""));
            assertThat(lastToken()).isEqualTo(1);
        }
    }

    @Nested
    class AWait {

        @Test
        void thatIsNotWantedOrIsOverEndsWith1OrTheGivenCode() {
            store.hold("k", "alice");
            assertThat(run("exec", "-n", "k", "--", "true"))
                    .isEqualTo(new CommandRun(1, "", "fenceline: lock 'k' is held by alice"));
            assertThat(run("exec", "-w", "0.3", "-E", "42", "k", "--", "true"))
                    .isEqualTo(new CommandRun(42, "", "fenceline: lock 'k' is held by alice; waited 300ms"));
        }
    }

    @Nested
    class ASignal {

        @ParameterizedTest
        @ValueSource(strings = {"INT", "TERM"})
        void reachesTheCommandWhoseStatusCounts(String signal) {
            FencelineProcess.requireHeard(signal);
            String script = "trap 'exit 7' " + signal + "; echo $$ > \"$0\"; while :; do sleep 0.05; done";
            try (FencelineProcess exec = start("exec", "k", "--", "sh", "-c", script, pidFile.toString())) {
                FencelineProcess.numberIn(pidFile);
                exec.signal(signal);
                assertThat(exec.end().exitCode()).isEqualTo(7);
            }
            assertThat(store.isLocked("k")).isFalse();
        }

        @Test
        void endsACommandThatIsStopped() {
            String stopsItself = "echo $$ > \"$0\"; kill -STOP $$; while :; do sleep 0.05; done";
            try (FencelineProcess exec = start("exec", "k", "--", "sh", "-c", stopsItself, pidFile.toString())) {
                long child = FencelineProcess.numberIn(pidFile);
                await().until(() -> FencelineProcess.isStopped(child));
                exec.signal("TERM");
                assertThat(exec.end().exitCode()).isEqualTo(128 + 15);
            }
            assertThat(store.isLocked("k")).isFalse();
        }

        @Test
        void thatEndsTheCommandEndsExecLikewise() {
            try (FencelineProcess exec = start("exec", "k", "--", "sh", "-c", SLEEPS, pidFile.toString())) {
                long child = FencelineProcess.numberIn(pidFile);
                exec.signal("TERM");
                assertThat(exec.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
                assertThat(FencelineProcess.isRunning(child)).isFalse();
            }
            assertThat(store.isLocked("k")).isFalse();
        }
    }
}
