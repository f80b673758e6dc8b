package io.fenceline.cli.demo;

import io.fenceline.time.Ticker;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells why a lock with a time limit is not enough, with real processes that are really stopped: the same story with a table that
 * believes every writer and with one that checks the token.
 */
public final class Demo {

    private final PrintStream out;
    private final boolean coloured;
    private final Duration ttl;

    /**
     * Prepares a demo.
     *
     * @param out where the timeline is printed
     * @param coloured whether ANSI colours are used
     * @param ttl the ttl of the workers' leases: how long the viewer waits in each half
     */
    public Demo(PrintStream out, boolean coloured, Duration ttl) {
        this.out = out;
        this.coloured = coloured;
        this.ttl = ttl;
    }

    /**
     * Plays both halves.
     *
     * @return whether the first was corrupted and the second was protected, as they should be
     * @throws IOException if a worker does not start or says something unexpected; the message has what it printed
     * @throws InterruptedException if the thread is interrupted; the workers are killed
     */
    public boolean play() throws IOException, InterruptedException {
        Timeline timeline = new Timeline(out, coloured, Ticker.system());
        out.println("Two workers deposit into one account under one lock: A 10, B 25. The balance is 100.");

        timeline.heading("1. A table that believes every writer");
        Scenario.Ending unguarded = playHalf(false, timeline);
        timeline.verdict(
                unguarded.isCorrupted(),
                unguarded.isCorrupted()
                        ? "CORRUPTED: balance " + unguarded.balance()
                                + ". B was told that its 25 are written; they are gone."
                        : "not as expected: balance " + unguarded.balance());

        timeline.heading("2. The same table with a fence:  UPDATE … WHERE id = 7 AND last_fence <= :token");
        Scenario.Ending guarded = playHalf(true, timeline);
        timeline.verdict(
                guarded.isProtected(),
                guarded.isProtected()
                        ? "PROTECTED: balance " + guarded.balance() + ". A (token " + guarded.tokenOfA()
                                + ") was refused, since B had token " + guarded.tokenOfB() + "."
                        : "not as expected: balance " + guarded.balance());

        out.println();
        out.println("No lock can keep A from waking up late. The resource can keep it from writing.");
        return unguarded.isCorrupted() && guarded.isProtected();
    }

    private Scenario.Ending playHalf(boolean guarded, Timeline timeline) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("fenceline-demo");
        try {
            return new Scenario(folder, guarded, ttl, timeline).play();
        } catch (IOException | SQLException e) {
            throw new IOException(e.getMessage() + workersErrors(folder), e);
        } finally {
            delete(folder);
        }
    }

    private static String workersErrors(Path folder) throws IOException {
        Path log = WorkerProcess.errors(folder).toPath();
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
