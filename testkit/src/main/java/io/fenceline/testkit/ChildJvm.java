package io.fenceline.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program in a JVM of its own, with the class path of the test, which can be stopped and killed at any moment. */
final class ChildJvm implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;

    private ChildJvm(Process process) {
        this.process = process;
    }

    /** Starts a program and returns when it says on its {@link ParentLink} that it is ready. */
    static ChildJvm start(Class<?> program, Map<String, String> environment, String... arguments) {
        ChildJvm child = launch(program, environment, arguments);
        child.awaitReady();
        return child;
    }

    /** Starts a program, for which {@link #awaitReady} is still to be called: several start faster side by side. */
    static ChildJvm launch(Class<?> program, Map<String, String> environment, String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(JvmCommand.of(program, arguments));
        builder.environment().putAll(environment);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        try {
            return new ChildJvm(builder.start());
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

    /** Stops it at an arbitrary moment. */
    void stop() {
        signal("STOP");
    }

    /** Lets it continue. */
    void resume() {
        signal("CONT");
    }

    /** Tells it on its {@link ParentLink} to do what it does when it is nudged. */
    void nudge() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills it at an arbitrary moment. */
    void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** Lets it end by itself. */
    int end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return awaitExit();
    }

    @Override
    public void close() {
        kill();
    }

    /** Returns when the program says on its {@link ParentLink} that it is ready. */
    void awaitReady() {
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line;
        try {
            line = output.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!ParentLink.READY.equals(line)) {
            kill();
            throw new AssertionError("a client did not start, it said: " + line);
        }
    }

    private int awaitExit() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("client " + process.pid() + " does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while a client ended", e);
        }
    }

    private void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new AssertionError("kill -" + name + " " + process.pid() + " failed with " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while a client was signalled", e);
        }
    }
}
