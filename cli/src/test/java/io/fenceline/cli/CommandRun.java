package io.fenceline.cli;

import io.fenceline.cli.context.ProcessEnvironment;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** One run of {@code fenceline} inside this JVM. */
record CommandRun(int exitCode, String out, String err) {

    static CommandRun of(Map<String, String> variables, String input, String... arguments) {
        InputStream in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        return of(variables, in, new StringWriter(), new StringWriter(), false, arguments);
    }

    /** A run whose output can be read meanwhile. */
    static CommandRun of(
            Map<String, String> variables,
            InputStream in,
            StringWriter out,
            StringWriter err,
            boolean terminal,
            String... arguments) {
        ProcessEnvironment environment =
                new ProcessEnvironment(variables, in, new PrintWriter(out, true), new PrintWriter(err, true), terminal);
        int exitCode = Fenceline.run(environment, arguments);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }
}
