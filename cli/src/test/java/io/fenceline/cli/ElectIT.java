package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.LockKey;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockCatalog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code fenceline elect} with real processes. */
class ElectIT extends CommandTest {

    private static final LockKey KEY = LockKey.of("election:g");
    private static final Duration TTL = Duration.ofSeconds(2);

    /** Notes its number and term in one step, and ends at once when it is asked to. */
    private static final String WILLING =
            "echo $$ $FENCELINE_TOKEN > \"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 1000";

    /** The same, but cannot be asked to stop. */
    private static final String STUBBORN = "trap '' TERM; echo $$ $FENCELINE_TOKEN > \"$0.new\"; mv \"$0.new\" \"$0\";"
            + " while :; do sleep 0.05; done";

    /** The same as the first, after it has noted whether the process of the leader before it still runs. */
    private static final String NEXT =
            "case $(ps -o stat= -p \"$(cut -d' ' -f1 \"$1\")\") in ''|Z*) ;; *) : > \"$0.overlap\";; esac; " + WILLING;

    private Path first;
    private Path second;

    @BeforeEach
    void setUp() {
        first = folder.resolve("first");
        second = folder.resolve("second");
    }

    private CommandRun run(String... arguments) {
        return FencelineProcess.run(store.uri(), arguments);
    }

    private FencelineProcess start(String... arguments) {
        return FencelineProcess.start(store.uri(), arguments);
    }

    private FencelineProcess elect(String script, Path notes) {
        return start("elect", "--ttl", TTL.toMillis() + "ms", "g", "--", "sh", "-c", script, notes.toString());
    }

    /** A candidate that is opened and so waits behind a leader, and whose command looks for the leader's. */
    private FencelineProcess electNext() {
        FencelineProcess next = start(
                "elect",
                "--ttl",
                TTL.toMillis() + "ms",
                "g",
                "--",
                "sh",
                "-c",
                NEXT,
                second.toString(),
                first.toString());
        next.awaitOpen(store);
        return next;
    }

    private void assertNoOverlap() {
        assertThat(Path.of(second + ".overlap"))
                .as("the command of the leader before still ran")
                .doesNotExist();
    }

    /** What a command noted. */
    private record Notes(long pid, long term) {

        static Notes in(Path file) {
            return newerThan(0, file);
        }

        /** Waits for those of a later term. */
        static Notes newerThan(long term, Path file) {
            return await().atMost(FencelineProcess.PATIENCE)
                    .ignoreExceptions()
                    .until(
                            () -> {
                                String[] words = Files.readString(file).strip().split(" ");
                                return new Notes(Long.parseLong(words[0]), Long.parseLong(words[1]));
                            },
                            notes -> notes.term > term);
        }
    }

    @Nested
    class TheCommand {

        @Test
        void findsTheTermInItsEnvironmentAndRunsToItsEndHoweverLongItTakes() {
            String script =
                    "echo \"$FENCELINE_TOKEN $FENCELINE_KEY $FENCELINE_LOCK_ID $FENCELINE_BACKEND\"; sleep 3; exit 3";
            CommandRun run = run("elect", "--ttl", "2s", "--once", "g", "--", "sh", "-c", script);
            assertThat(run.out()).matches("000000000000001 election:g [\\w-]{22} \\Q" + store.uri() + "\\E");
            assertThat(run).isEqualTo(new CommandRun(3, run.out(), ""));
            assertThat(store.isLocked(KEY.value())).isFalse();
        }

        @Test
        void leavesNothingRunningThatCouldOutliveTheTerm() throws Exception {
            CommandRun run = run(
                    "elect",
                    "--once",
                    "g",
                    "--",
                    "sh",
                    "-c",
                    "sleep 1000 >/dev/null 2>&1 & echo $! > \"$0\"; exit 3",
                    first.toString());

            assertThat(run.exitCode()).isEqualTo(3);
            long left = Long.parseLong(Files.readString(first).strip());
            await().atMost(FencelineProcess.PATIENCE)
                    .untilAsserted(
                            () -> assertThat(FencelineProcess.isRunning(left)).isFalse());
        }

        @Test
        void thatEndsByItselfLetsTheOthersLeadAndRunsAgainLater() throws Exception {
            String once = "if [ -e \"$0\" ]; then " + WILLING.replace("$0", "$0.again")
                    + "; fi; echo $$ $FENCELINE_TOKEN > \"$0\";"
                    + " while [ ! -e \"$0.finish\" ]; do sleep 0.05; done; exit 3";
            try (FencelineProcess leader = elect(once, first)) {
                Notes before = Notes.in(first);
                try (FencelineProcess other = electNext()) {
                    Files.createFile(Path.of(first + ".finish"));
                    Notes next = Notes.in(second);
                    assertThat(next.term).isGreaterThan(before.term);
                    assertThat(leader.jvm().isAlive()).isTrue();
                    other.signal("TERM");
                    other.end();
                    Notes again = Notes.in(Path.of(first + ".again"));
                    assertThat(again.term).isGreaterThan(next.term);
                }
                leader.signal("TERM");
                assertThat(leader.end())
                        .isEqualTo(new CommandRun(
                                128 + 15,
                                "",
                                "fenceline: the command ended with exit code 3 in term 000000000000001 of group 'g'; this"
                                        + " candidate rejoins the election in 2.0s"));
            }
            assertNoOverlap();
        }
    }

    @Nested
    class ALeaderThatIs {

        /** Its command may take long to be killed, for which the term ends earlier. */
        @Test
        void killedIsFollowedByAnotherWithAGreaterTermWhoseCommandFindsItsOwnGone() {
            String[] slow = {
                "elect", "--ttl", "3s", "--kill-after", "1s", "g", "--", "sh", "-c", STUBBORN, first.toString()
            };
            try (FencelineProcess leader = start(slow)) {
                Notes lost = Notes.in(first);
                try (FencelineProcess other = electNext()) {
                    leader.signal("KILL");
                    Notes next = Notes.in(second);
                    assertThat(next.term).isGreaterThan(lost.term);
                    assertNoOverlap();
                    other.signal("TERM");
                    assertThat(other.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
                }
            }
        }

        @Test
        void stoppedWithItsCommandFindsItDeadAndAnotherLeading() {
            try (FencelineProcess leader = elect(STUBBORN, first)) {
                Notes lost = Notes.in(first);
                try (FencelineProcess other = electNext()) {
                    leader.signal("STOP");
                    FencelineProcess.signal("STOP", -lost.pid);
                    Notes next = Notes.in(second);
                    assertThat(next.term).isGreaterThan(lost.term);
                    assertNoOverlap();

                    leader.signal("CONT");
                    other.signal("TERM");
                    other.end();
                    Notes again = Notes.newerThan(lost.term, first);
                    assertThat(again.term).isGreaterThan(next.term);
                }
                leader.signal("TERM");
                CommandRun end = leader.end();
                assertThat(end.exitCode()).isEqualTo(128 + 15);
                assertThat(end.err())
                        .isEqualTo("fenceline: term 000000000000001 of group 'g' is lost; the command was stopped; this"
                                + " candidate rejoins the election");
            }
        }

        @Test
        void deposedByAForcedReleaseIsStoppedAndLeadsAgainInAGreaterTerm() {
            try (FencelineProcess leader = elect(STUBBORN, first)) {
                Notes before = Notes.in(first);
                assertThat(store.run("release", "--force", KEY.value()).exitCode())
                        .isZero();
                Notes after = Notes.newerThan(before.term, first);
                assertThat(FencelineProcess.isRunning(before.pid)).isFalse();
                assertThat(FencelineProcess.isRunning(after.pid)).isTrue();
                leader.signal("TERM");
                assertThat(leader.end().err()).hasLineCount(1).contains("is lost");
                assertThat(FencelineProcess.isRunning(after.pid)).isFalse();
            }
        }
    }

    @Nested
    class ASignal {

        @Test
        void stopsACommandThatCannotBeAskedAndLetsTheOthersIn() {
            try (FencelineProcess leader = elect(STUBBORN, first)) {
                Notes notes = Notes.in(first);
                leader.signal("TERM");
                assertThat(leader.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
                assertThat(FencelineProcess.isRunning(notes.pid)).isFalse();
            }
            assertThat(store.isLocked(KEY.value())).isFalse();
        }

        @Test
        void endsAWaitingCandidateWithoutATrace() {
            long token = store.hold(KEY.value(), "somebody else").token().value();
            try (FencelineProcess waiting = elect(WILLING, first)) {
                waiting.awaitOpen(store);
                waiting.signal("TERM");
                assertThat(waiting.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
            }
            assertThat(store.backend()
                            .ability(LockCatalog.class)
                            .orElseThrow()
                            .lastToken(KEY)
                            .orElseThrow()
                            .value())
                    .isEqualTo(token);
        }
    }

    @Nested
    class AClaim {

        @Test
        void isMadeBeforeTheCommandRuns() {
            List<String> guardShow = List.of("guard", "show", "--json", "orders");
            assertThat(run("elect", "--once", "--claim", "orders", "g", "--", "true")
                            .exitCode())
                    .isZero();
            assertThat(store.run(guardShow.toArray(String[]::new)).out())
                    .contains("\"key\":\"election:g\",\"highest\":\"000000000000001\"");
        }

        @Test
        void thatIsRefusedIsToldAndNothingIsRun() {
            store.run("guard", "bump", "--key", KEY.value(), "--at-least", "50", "orders");
            CommandRun refused = run("elect", "--claim", "orders", "g", "--", "touch", first.toString());
            assertThat(refused.exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);
            assertThat(refused.err()).hasLineCount(1).contains("orders").contains("000000000000050");
            assertThat(first).doesNotExist();
            assertThat(store.isLocked(KEY.value())).isFalse();
        }
    }

    @Test
    void aCandidateThatHesitatesLetsOneThatDoesNotGoFirst() {
        try (FencelineProcess hesitant =
                        start("elect", "--hesitate", "1m", "g", "--", "sh", "-c", WILLING, first.toString());
                FencelineProcess preferred = elect(WILLING, second)) {
            hesitant.awaitOpen(store);
            Notes.in(second);
            assertThat(first).doesNotExist();
            preferred.signal("TERM");
            preferred.end();
            hesitant.signal("TERM");
            assertThat(hesitant.end()).isEqualTo(new CommandRun(128 + 15, "", ""));
        }
    }

    @ParameterizedTest
    @Timeout(120)
    @CsvSource(
            delimiter = '|',
            value = {
                "GRANT SELECT ON ALL TABLES IN SCHEMA public TO app",
                "GRANT ALL ON ALL TABLES IN SCHEMA public TO app; REVOKE ALL ON fenceline_fences FROM app"
            })
    void endsWhereItsUserMayNotAcquireOrClaim(String rights) {
        try (PostgresServer server = PostgresServer.start(Map.of())) {
            String database = server.newDatabase();
            server.execute(
                    database,
                    CommandRun.of(Map.of(), "", "schema", "print", "--for", "postgresql")
                            .out());
            server.execute(database, "CREATE ROLE app LOGIN PASSWORD 'p'; " + rights);
            String uri = server.uri(database).replaceFirst("user=.*", "user=app&password=p");

            CommandRun elect =
                    CommandRun.of(Map.of("FENCELINE_BACKEND", uri), "", "elect", "--claim", "r", "g", "--", "true");

            assertThat(elect.exitCode()).isEqualTo(ExitCode.STORE_REFUSED);
            assertThat(elect.err()).contains("grant SELECT, INSERT").hasLineCount(1);
        }
    }
}
