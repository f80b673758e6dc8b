package io.fenceline.cli.demo;

import io.fenceline.time.Ticker;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Shows with real, really stopped processes why a lock with a ttl is not enough: the same scenario on a table without a guard and
 * on a guarded one.
 */
public final class Demo {

    private final PrintWriter out;
    private final boolean coloured;
    private final Duration ttl;
    private volatile boolean ending;

    public Demo(PrintWriter out, boolean coloured, Duration ttl) {
        this.out = out;
        this.coloured = coloured;
        this.ttl = ttl;
    }

    /**
     * Runs both scenarios and returns whether the first table was corrupted and the second protected, as expected.
     *
     * @throws IOException if a worker fails; the message contains its output
     */
    public boolean play() throws IOException, InterruptedException {
        Timeline timeline = new Timeline(out, coloured, Ticker.system());
        out.println("Two workers deposit into one account under one lock: A 10, B 25. The balance is 100.");

        timeline.heading("1. A table without a guard");
        Scenario.Ending unguarded = playHalf(false, timeline);
        timeline.verdict(
                unguarded.isCorrupted(),
                unguarded.isCorrupted()
                        ? "CORRUPTED: balance " + unguarded.balance()
                                + ". B's deposit of 25 was confirmed, and is lost."
                        : "unexpected: balance " + unguarded.balance());

        timeline.heading("2. The same table with a fence:  UPDATE … WHERE id = 7 AND last_fence <= :token");
        Scenario.Ending guarded = playHalf(true, timeline);
        timeline.verdict(
                guarded.isProtected(),
                guarded.isProtected()
                        ? "PROTECTED: balance " + guarded.balance() + ". A (token " + guarded.tokenOfA()
                                + ") was refused because B had written with token " + guarded.tokenOfB() + "."
                        : "unexpected: balance " + guarded.balance());

        out.println();
        out.println("No lock can keep A from resuming late. The guard keeps it from writing.");
        return unguarded.isCorrupted() && guarded.isProtected();
    }

    private Scenario.Ending playHalf(boolean guarded, Timeline timeline) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("fenceline-demo");
        Thread hook = new Thread(() -> end(folder), "demo");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return new Scenario(folder, guarded, ttl, timeline).play();
        } catch (IOException | SQLException e) {
            if (ending) {
                throw new InterruptedException("the JVM is being shut down");
            }
            throw new IOException(e.getMessage() + workersErrors(folder), e);
        } finally {
            if (!ending) {
                Runtime.getRuntime().removeShutdownHook(hook);
                delete(folder);
            }
        }
    }

    /** Ends the workers when a signal ends the demo: one that is stopped would stay for ever. */
    private void end(Path folder) {
        ending = true;
        ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
        try {
            while (ProcessHandle.current().children().findAny().isPresent()) {
                Thread.sleep(10);
            }
            delete(folder);
        } catch (IOException
                | InterruptedException e) { // a worker had just been started; the folder is a temporary one
        }
    }

    private static String workersErrors(Path folder) throws IOException {
        Path log = DemoWorkerProcess.errors(folder).toPath();
        List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
        return lines.isEmpty() ? "" : "; the workers said: " + String.join(" | ", lines);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
