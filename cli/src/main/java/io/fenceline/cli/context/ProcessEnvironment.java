package io.fenceline.cli.context;

import io.fenceline.cli.output.StandardOutput;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;

/**
 * Environment variables and standard streams of a command.
 *
 * @param terminal whether {@code errors} is a terminal
 */
public record ProcessEnvironment(
        Map<String, String> variables, InputStream input, PrintWriter output, PrintWriter errors, boolean terminal) {

    /**
     * The {@code LC_ALL} of the caller. The launcher replaces it for the JVM, which would lose characters that a C locale cannot
     * express; the commands that we run get it back. Empty means not set.
     */
    public static final String CALLERS_LOCALE = "FENCELINE_LC_ALL";

    /** The system property by which the launcher tells that standard error is a terminal; Java itself cannot. */
    private static final String TERMINAL = "fenceline.terminal";

    public static ProcessEnvironment ofThisProcess() {
        return new ProcessEnvironment(
                System.getenv(),
                System.in,
                writer(new StandardOutput()),
                writer(System.err),
                Boolean.getBoolean(TERMINAL));
    }

    private static PrintWriter writer(OutputStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, Charset.defaultCharset()), true);
    }

    /** An environment variable; empty if it is not set. */
    public String variable(String name) {
        String value = variables.get(name);
        return value == null ? "" : value;
    }
}
