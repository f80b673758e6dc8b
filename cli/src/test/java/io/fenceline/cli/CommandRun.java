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
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        InputStream in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        ProcessEnvironment environment =
                new ProcessEnvironment(variables, in, new PrintWriter(out, true), new PrintWriter(err, true));
        int exitCode = Fenceline.run(environment, arguments);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }
}
