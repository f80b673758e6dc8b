package io.fenceline.cli;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;

/**
 * A command's process environment, apart from its arguments.
 *
 * @param variables the environment
 * @param input standard input
 * @param output standard output
 * @param errors standard error
 */
record Surroundings(Map<String, String> variables, InputStream input, PrintWriter output, PrintWriter errors) {

    /**
     * What {@code LC_ALL} was before the launcher set it for the JVM, which loses what a C locale cannot express, also in
     * the arguments that it only passes on. The commands that we run get it back; empty is as good as not set.
     */
    static final String CALLERS_LOCALE = "FENCELINE_LC_ALL";

    static Surroundings ofThisProcess() {
        return new Surroundings(System.getenv(), System.in, writer(new StandardOutput()), writer(System.err));
    }

    private static PrintWriter writer(OutputStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, Charset.defaultCharset()), true);
    }

    /** An environment variable; empty if it is not set. */
    String variable(String name) {
        String value = variables.get(name);
        return value == null ? "" : value;
    }
}
