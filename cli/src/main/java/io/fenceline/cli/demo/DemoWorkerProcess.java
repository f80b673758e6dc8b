package io.fenceline.cli.demo;

import io.fenceline.cli.process.ProcessExit;
import io.fenceline.cli.process.ProcessSignal;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A {@link DemoWorker} in a JVM of its own. */
final class DemoWorkerProcess implements AutoCloseable {

    private final String name;
    private final Process process;
    private final BufferedReader output;

    private DemoWorkerProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    static DemoWorkerProcess start(Path folder, boolean guarded, String name, long amount, Duration ttl)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), DemoWorker.class.getName()));
        command.add("sqlite:" + folder.resolve("locks.db"));
        command.add(folder.resolve("data.db").toString());
        command.addAll(List.of(String.valueOf(guarded), name, String.valueOf(amount), String.valueOf(ttl.toMillis())));
        Process process = new ProcessBuilder(command)
                .redirectError(Redirect.appendTo(errors(folder)))
                .start();
        return new DemoWorkerProcess(name, process);
    }

    static File errors(Path folder) {
        return folder.resolve("workers.log").toFile();
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    /** Waits for the worker's next line, which must start with one of {@code expected}, and returns its words. */
    String[] await(String... expected) throws IOException {
        String line = output.readLine();
        String[] words = line == null ? new String[] {"the end of its output"} : line.split(" ");
        if (!List.of(expected).contains(words[0])) {
            throw new IOException("expected '" + String.join("' or '", expected) + "' from worker " + name + ", got '"
                    + words[0] + "'");
        }
        return words;
    }

    /** Lets the worker write. */
    void go() throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append("go\n").flush();
    }

    void stop() {
        ProcessSignal.send("STOP", List.of(pid()));
    }

    void resume() {
        ProcessSignal.send("CONT", List.of(pid()));
    }

    void awaitEnd() throws InterruptedException {
        process.waitFor();
    }

    /** Kills the worker if it still runs, stopped or not. */
    @Override
    public void close() {
        ProcessExit.await(process.destroyForcibly());
    }
}
