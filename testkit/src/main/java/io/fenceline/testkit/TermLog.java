package io.fenceline.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The terms of a candidate's process, a line for each call of its listener. Times are of {@link System#nanoTime}, which all JVMs of
 * a Unix machine count from the same moment.
 */
final class TermLog implements AutoCloseable {

    private static final String ELECTED = "elected";
    private static final String REVOKED = "revoked";

    /**
     * A call of the listener.
     *
     * @param elected whether a term began, else it ended
     * @param term its number
     * @param nanos when the call was made
     */
    record Call(boolean elected, long term, long nanos) {}

    private final OutputStream out;

    private TermLog(OutputStream out) {
        this.out = out;
    }

    static TermLog to(Path file) throws IOException {
        return new TermLog(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW));
    }

    void elected(long term) throws IOException {
        line(ELECTED, term);
    }

    void revoked(long term) throws IOException {
        line(REVOKED, term);
    }

    /** Returns the calls in a log that may still grow, in their order. */
    static List<Call> calls(Path file) throws IOException {
        List<Call> calls = new ArrayList<>();
        String text = Files.exists(file) ? Files.readString(file) : "";
        // What follows the last line's end is being written.
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            String[] words = line.split(" ", -1);
            calls.add(new Call(words[0].equals(ELECTED), Long.parseLong(words[1]), Long.parseLong(words[2])));
        }
        return calls;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void line(String what, long term) throws IOException {
        out.write((what + " " + term + " " + System.nanoTime() + "\n").getBytes(StandardCharsets.US_ASCII));
    }
}
