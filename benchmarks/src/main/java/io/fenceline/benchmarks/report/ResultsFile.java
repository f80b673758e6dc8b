package io.fenceline.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A Markdown file in which people write and the harness replaces what stands between two comments: {@code <!-- begin NAME -->}
 * and {@code <!-- end NAME -->}.
 */
public final class ResultsFile {

    private final Path file;
    private String text;

    private ResultsFile(Path file, String text) {
        this.file = file;
        this.text = text;
    }

    /** Reads a file; one that is not there is empty. */
    public static ResultsFile read(Path file) throws IOException {
        return new ResultsFile(file, Files.exists(file) ? Files.readString(file) : "# Results\n");
    }

    /** Replaces a section, or adds it at the end. */
    public void replace(String name, String section) {
        String begin = "<!-- begin " + name + " -->";
        String end = "<!-- end " + name + " -->";
        String whole = begin + "\n" + section + end;
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        text = from < 0 || to < from
                ? text + "\n" + whole + "\n"
                : text.substring(0, from) + whole + text.substring(to + end.length());
    }

    /** Writes the file. */
    public void write() throws IOException {
        Files.writeString(file, text);
    }
}
