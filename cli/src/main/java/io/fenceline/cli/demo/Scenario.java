package io.fenceline.cli.demo;

import io.fenceline.FencingToken;
import io.fenceline.cli.demo.Timeline.Tone;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/**
 * One half of the demo. Worker A reads the balance and is stopped before it writes. Its lease expires. Worker B acquires the lock,
 * reads and writes. A resumes and writes too. Both deposit: the balance must grow by both amounts, or by B's alone if A is
 * refused.
 */
final class Scenario {

    static final String KEY = "account:7";

    private static final long START = 100;
    private static final long A_DEPOSITS = 10;
    private static final long B_DEPOSITS = 25;

    private final Path folder;
    private final boolean guarded;
    private final Duration ttl;
    private final Timeline timeline;

    Scenario(Path folder, boolean guarded, Duration ttl, Timeline timeline) {
        this.folder = folder;
        this.guarded = guarded;
        this.ttl = ttl;
        this.timeline = timeline;
    }

    /** The result of the scenario. */
    record Ending(FencingToken tokenOfA, FencingToken tokenOfB, boolean aRefused, long balance) {

        boolean isCorrupted() {
            return !aRefused && balance == START + A_DEPOSITS;
        }

        boolean isProtected() {
            return aRefused && balance == START + B_DEPOSITS;
        }
    }

    Ending play() throws IOException, InterruptedException, SQLException {
        try (DemoWorkerProcess a = DemoWorkerProcess.start(folder, guarded, "A", A_DEPOSITS, ttl)) {
            FencingToken tokenOfA = readAndCheck(a);
            a.stop();
            timeline.event(
                    "worker A", Tone.STOPPED, "is stopped (SIGSTOP to process " + a.pid() + ") before it writes");
            FencingToken tokenOfB = takeOver();
            a.resume();
            a.go(); // not before: a signal needs a moment to stop all threads, and one of them might write
            timeline.event("worker A", Tone.STOPPED, "resumes, believes that it holds the lock, and writes");
            boolean refused = write(a);
            a.awaitEnd();
            try (Account account = Account.open(folder.resolve("data.db").toString(), guarded)) {
                return new Ending(tokenOfA, tokenOfB, refused, account.balance());
            }
        }
    }

    private FencingToken takeOver() throws IOException, InterruptedException {
        try (DemoWorkerProcess b = DemoWorkerProcess.start(folder, guarded, "B", B_DEPOSITS, ttl)) {
            timeline.event(
                    "worker B", Tone.PLAIN, "waits for the lock; A's lease of " + ttl.toMillis() + " ms expires");
            FencingToken token = readAndCheck(b);
            b.go();
            write(b);
            b.awaitEnd();
            return token;
        }
    }

    private FencingToken readAndCheck(DemoWorkerProcess worker) throws IOException {
        String who = "worker " + worker.name();
        FencingToken token = FencingToken.parse(worker.await("granted")[1]);
        timeline.event(who, Tone.HOLDS, "holds '" + KEY + "' with token " + token);
        timeline.event(who, Tone.PLAIN, "reads balance " + worker.await("read")[1]);
        worker.await("checked");
        timeline.event(who, Tone.PLAIN, "checks again: its lease is held");
        return token;
    }

    /** Reports a write and returns whether it was refused. */
    private boolean write(DemoWorkerProcess worker) throws IOException {
        String who = "worker " + worker.name();
        String[] said = worker.await("written", "refused");
        if (said[0].equals("refused")) {
            timeline.event(who, Tone.GOOD, "is refused: token " + said[1] + " is older than " + said[2]);
            return true;
        }
        boolean lostUpdate = worker.name().equals("A");
        timeline.event(who, lostUpdate ? Tone.BAD : Tone.HOLDS, "writes balance " + said[1] + " with token " + said[2]);
        return false;
    }
}
