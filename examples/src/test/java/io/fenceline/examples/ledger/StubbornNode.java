package io.fenceline.examples.ledger;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Backends;
import io.fenceline.FenceStamp;
import io.fenceline.Locks;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.FencedStream;
import io.fenceline.testkit.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * A node in a process of its own, which remembers the stamp of its first term and appends with it when it is told to: the mistake
 * that a fence is for.
 */
final class StubbornNode implements AutoCloseable {

    private final Process process;
    private final BufferedReader answers;

    private StubbornNode(Process process) {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Runs the node: prints its term, then the outcome of an append for each line of input. */
    public static void main(String[] args) throws Exception {
        try (HikariDataSource source = LedgerTest.pool(args[1]);
                Locks locks = Locks.over(Backends.open(args[0]));
                LedgerNode node = new LedgerNode(
                        locks, FencedStream.on(source), "stubborn", Duration.ofMillis(Long.parseLong(args[2])))) {
            FencedStream streams = FencedStream.on(source);
            FenceStamp remembered = LedgerTest.awaitTerm(node);
            System.out.println(remembered.token().value());
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    long position = streams.append("ledger", remembered, line.getBytes(StandardCharsets.UTF_8));
                    System.out.println("appended at " + position);
                } catch (StaleTokenException e) {
                    System.out.println("refused, " + e.presented().token().value() + " after "
                            + e.highest().value());
                }
            }
        }
    }

    static StubbornNode start(String uri, String jdbcUrl, Duration ttl) throws IOException {
        return new StubbornNode(
                new ProcessBuilder(JvmCommand.of(StubbornNode.class, uri, jdbcUrl, Long.toString(ttl.toMillis())))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
    }

    /** Returns what it prints next. */
    String answer() throws IOException {
        return Optional.ofNullable(answers.readLine()).orElse("it has ended");
    }

    /** Tells it to append, and returns what came of it. */
    String append(String entry) throws IOException {
        process.getOutputStream().write((entry + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        return answer();
    }

    /** Sends it a signal. */
    void signal(String name) throws InterruptedException {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
