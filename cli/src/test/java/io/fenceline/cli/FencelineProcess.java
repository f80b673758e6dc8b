package io.fenceline.cli;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fenceline.cli.process.ProcessExit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One {@code fenceline} in a JVM of its own, started by the launcher of the source tree from the jar that the build made. */
final class FencelineProcess implements AutoCloseable {

    private static final char GONE = ' ';

    /** Longer than any promise takes on a machine that is busy; reached only by a test that fails. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Process jvm;

    private FencelineProcess(Process jvm) {
        this.jvm = jvm;
    }

    static FencelineProcess start(String store, String... arguments) {
        return start(Map.of("FENCELINE_BACKEND", store), arguments);
    }

    static FencelineProcess start(Map<String, String> variables, String... arguments) {
        return launch(Prepared.LAUNCHER, variables, arguments);
    }

    private static FencelineProcess launch(String launcher, Map<String, String> variables, String... arguments) {
        List<String> words = new ArrayList<>(List.of(launcher));
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().putAll(variables);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        try {
            return new FencelineProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The launcher after its first run, which makes an archive of classes for the others to start faster, and says so. */
    private static final class Prepared {

        static final String LAUNCHER =
                Path.of("..", "fenceline").toAbsolutePath().normalize().toString();

        static {
            try (FencelineProcess first = launch(LAUNCHER, Map.of(), "--version")) {
                first.end();
            }
        }
    }

    /** Runs it to its end. */
    static CommandRun run(String store, String... arguments) {
        try (FencelineProcess process = start(store, arguments)) {
            process.jvm.outputWriter().close();
            return process.end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a script of the shell, with the launcher's path in {@code FENCELINE}, to its end. */
    static CommandRun shell(String store, String script) {
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", script);
        shell.environment()
                .putAll(Map.of(
                        "FENCELINE",
                        launcher(),
                        "FENCELINE_BACKEND",
                        store,
                        "JAVA_HOME",
                        System.getProperty("java.home")));
        try (FencelineProcess process = new FencelineProcess(shell.start())) {
            return process.end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The path of the launcher. */
    static String launcher() {
        return Prepared.LAUNCHER;
    }

    Process jvm() {
        return jvm;
    }

    long pid() {
        return jvm.pid();
    }

    /** Waits for its end; for output that fits into a pipe. */
    CommandRun end() {
        await().atMost(PATIENCE).until(() -> !jvm.isAlive());
        return new CommandRun(
                jvm.exitValue(),
                text(jvm.inputReader().lines()),
                text(jvm.errorReader().lines()));
    }

    private static String text(Stream<String> lines) {
        return String.join("\n", lines.toList());
    }

    /**
     * Skips a test of a signal that this process was told to ignore, as a script's background jobs and {@code nohup} are: every process
     * that is started from here ignores it as well, and a JVM leaves it so.
     */
    static void requireHeard(String signal) {
        int number = Map.of("HUP", 1, "INT", 2, "TERM", 15).get(signal);
        try (Stream<String> status = Files.lines(Path.of("/proc/self/status"))) {
            boolean ignored = status.filter(line -> line.startsWith("SigIgn:"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) >> (number - 1) & 1) == 1);
            assumeFalse(ignored, "SIG" + signal + " is ignored in this process tree, so what it does cannot be shown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void signal(String name) {
        signal(name, pid());
    }

    /** Sends a signal to a process or, if the number is negative, to a group. */
    static void signal(String name, long target) {
        try {
            Process kill = new ProcessBuilder("kill", "-s", name, "--", Long.toString(target)).start();
            ProcessExit.await(kill);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has opened the store, and so catches signals and is about to ask or has asked. */
    void awaitOpen(TestStore store) {
        Path descriptors = Path.of("/proc", Long.toString(pid()), "fd");
        await().atMost(PATIENCE).until(() -> {
            try (Stream<Path> open = Files.list(descriptors)) {
                return open.anyMatch(descriptor -> store.whenOpen().test(target(descriptor)));
            }
        });
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    /** The number that a command wrote into a file, once it is there. */
    static long numberIn(Path file) {
        return await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> Long.parseLong(Files.readString(file).strip()), number -> true);
    }

    /** Whether a process runs; one that has ended and was not yet waited for does not. */
    static boolean isRunning(long pid) {
        char state = state(pid);
        return state != 'Z' && state != GONE;
    }

    /** Whether a process was stopped by a signal. */
    static boolean isStopped(long pid) {
        return state(pid) == 'T';
    }

    /** The state of a process as {@code proc(5)} has it. */
    private static char state(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException gone) {
            return GONE;
        }
    }

    @Override
    public void close() {
        ProcessExit.await(jvm.destroyForcibly());
    }
}
