package io.fenceline.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The log of a process of {@link GuardStressContract}: a line for each step, written before the next step. Times are of {@link
 * System#nanoTime}, which all JVMs of a Unix machine count from the same moment.
 */
final class StressLog implements AutoCloseable {

    static final String CLAIMED = "claimed";
    static final String WRITING = "writing";
    static final String ACCEPTED = "accepted";
    static final String REFUSED = "refused";

    private final OutputStream out;

    private StressLog(OutputStream out) {
        this.out = out;
    }

    static StressLog to(Path file) throws IOException {
        return new StressLog(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW));
    }

    /** The claim has returned. */
    void claimed(long token) throws IOException {
        line(CLAIMED + " " + token + " " + System.nanoTime());
    }

    /** The write begins now. */
    void writing(long token, String base, String value) throws IOException {
        line(WRITING + " " + token + " " + base + " " + value + " " + System.nanoTime());
    }

    /** The write that began last was made. */
    void accepted() throws IOException {
        line(ACCEPTED + " " + System.nanoTime());
    }

    /** The write that began last was refused. */
    void refused() throws IOException {
        line(REFUSED + " " + System.nanoTime());
    }

    /** Counts the accepted writes of a log that may still grow. */
    static long accepted(Path file) {
        if (!Files.exists(file)) {
            return 0;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            return lines.lines().filter(line -> line.startsWith(ACCEPTED)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void line(String text) throws IOException {
        out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
    }
}
