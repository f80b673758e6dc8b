package io.fenceline.cli.process;

import static org.awaitility.Awaitility.await;

import io.fenceline.cli.process.BootClock.BootTime;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One {@link ExecProgram} in a JVM of its own, which a test may stop and kill, with a temporary folder of its own. */
final class ExecProcess implements AutoCloseable {
    private final Path temporary;
    private final Process jvm;

    private ExecProcess(Path temporary, Process jvm) {
        this.temporary = temporary;
        this.jvm = jvm;
    }

    static ExecProcess start(Path temporary, Duration termIn, Duration killIn, String... command) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                Stream.of(ExecProgram.class, ChildProcess.class)
                        .map(ExecProcess::location)
                        .distinct()
                        .collect(Collectors.joining(":")),
                ExecProgram.class.getName(),
                Long.toString(termIn.toMillis()),
                Long.toString(killIn.toMillis())));
        words.addAll(List.of(command));
        return new ExecProcess(temporary, new ProcessBuilder(words).start());
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    Process jvm() {
        return jvm;
    }

    /** Sends a signal to the JVM alone. */
    void signal(String name) {
        ProcessSignal.send(name, List.of(jvm.pid()));
    }

    /** The number that the command wrote into this file, once it is there. */
    static long numberIn(Path file) {
        return await().ignoreExceptions()
                .until(() -> Long.parseLong(Files.readString(file).strip()), number -> true);
    }

    /** The end of the deadline that the watchdog has been told. */
    BootTime killAt() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            Path watched = files.filter(ExecProcess::isWatchFolder).findFirst().orElseThrow();
            String line = Files.readString(watched.resolve("deadline")).strip();
            return new BootTime(Long.parseLong(line.substring(line.indexOf(' ') + 1)));
        }
    }

    private static boolean isWatchFolder(Path file) {
        return file.getFileName().toString().startsWith("fl-exec-");
    }

    boolean leftAnyFile() {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.anyMatch(ExecProcess::isWatchFolder);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The living processes of a session, one line for each. */
    static List<String> session(long leader) {
        try {
            Process ps = new ProcessBuilder("ps", "-o", "stat=,pid=,args=", "-s", Long.toString(leader)).start();
            return ps.inputReader()
                    .lines()
                    .filter(line -> !line.startsWith("Z"))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        ProcessExit.await(jvm.destroyForcibly());
    }
}
