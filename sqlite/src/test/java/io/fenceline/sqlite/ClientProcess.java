package io.fenceline.sqlite;

import io.fenceline.testkit.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link StoreClient} in a JVM of its own. */
final class ClientProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    private ClientProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static ClientProcess start(Path store, String... args) {
        List<String> command = JvmCommand.of(StoreClient.class, store.toString());
        command.addAll(List.of(args));
        try {
            return new ClientProcess(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    ClientProcess awaitReady() {
        try {
            String line = output.readLine();
            if (!"ready".equals(line)) {
                throw new AssertionError("client said " + line);
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets it begin, and then lets it end. */
    ClientProcess nudge() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int awaitExit() {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("client does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Sends a signal, for instance {@code STOP}. */
    void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        awaitExit();
    }
}
