package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Google's own Firestore emulator, on a free port of the loopback address. It is in no Maven artifact, so it is used where it is
 * found. It ends with this JVM, and with it goes what it kept. Not safe for several threads.
 */
public final class FirestoreEmulator implements AutoCloseable {

    /** The system property that names the emulator's jar, before the package is asked. */
    public static final String JAR_PROPERTY = "fenceline.firestore.emulator";

    /** The environment variable that names a running emulator as {@code HOST:PORT}, as Google's tools know it. */
    public static final String HOST_VARIABLE = "FIRESTORE_EMULATOR_HOST";

    private static final String PACKAGE = "google-cloud-cli-firestore-emulator";
    private static final String MAIN_CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore";
    private static final int START_LIMIT_MILLIS = 60_000;

    private final String host;
    private final Optional<ServerProcess> process;

    private FirestoreEmulator(String host, Optional<ServerProcess> process) {
        this.host = host;
        this.process = process;
    }

    /**
     * Finds a running emulator, else starts one if it is installed. Returns an emulator that answers, or empty if
     * there is none on this machine.
     */
    public static Optional<FirestoreEmulator> find() {
        String running = System.getenv(HOST_VARIABLE);
        return running != null && !running.isEmpty()
                ? Optional.of(new FirestoreEmulator(running, Optional.empty()))
                : jar().map(FirestoreEmulator::start);
    }

    /** Returns where an emulator was looked for, for those who find none: the places and how to name others. */
    public static String places() {
        return "environment variable " + HOST_VARIABLE + " (HOST:PORT of a running one), system property "
                + JAR_PROPERTY + " (its jar), package " + PACKAGE;
    }

    private static Optional<Path> jar() {
        String named = System.getProperty(JAR_PROPERTY, "");
        if (!named.isEmpty()) {
            return Optional.of(Path.of(named));
        }
        return Command.output("dpkg", "-L", PACKAGE)
                .flatMap(files -> files.lines()
                        .filter(line -> line.endsWith("emulator.jar"))
                        .findFirst())
                .map(Path::of)
                .filter(Files::isReadable);
    }

    private static FirestoreEmulator start(Path jar) {
        try {
            Path output = Files.createTempFile("fenceline-firestore", ".log");
            output.toFile().deleteOnExit();
            int port = RedisServer.freePort();
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-Duser.language=en"));
            command.addAll(List.of("-cp", jar.toString(), MAIN_CLASS, "start"));
            command.addAll(List.of("--host=127.0.0.1", "--port=" + port));
            ServerProcess process = ServerProcess.start("TERM", Optional.empty(), output, command);
            FirestoreEmulator emulator = new FirestoreEmulator("127.0.0.1:" + port, Optional.of(process));
            if (!emulator.answers()) {
                emulator.close();
                throw new IllegalStateException(jar + " does not start: " + Files.readString(output));
            }
            return emulator;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the address, {@code HOST:PORT}. */
    public String host() {
        return host;
    }

    /** Stops it in its tracks with {@code SIGSTOP}: it accepts connections and answers nobody. Only one that we started. */
    public void pause() {
        process.orElseThrow().signal("STOP");
    }

    /** Lets a paused one go on. */
    public void resume() {
        process.orElseThrow().signal("CONT");
    }

    /** Ends it if we started it. */
    @Override
    public void close() {
        process.ifPresent(server -> server.end("TERM"));
    }

    private boolean answers() {
        for (int waited = 0;
                waited < START_LIMIT_MILLIS
                        && process.map(ServerProcess::isAlive).orElse(true);
                waited += 5) {
            try {
                HttpURLConnection connection = (HttpURLConnection)
                        URI.create("http://" + host + "/").toURL().openConnection();
                connection.setReadTimeout(START_LIMIT_MILLIS);
                if (connection.getResponseCode() == HttpURLConnection.HTTP_OK) {
                    return true;
                }
            } catch (IOException notYet) {
                // asked again
            }
            ServerProcess.pause(5);
        }
        return false;
    }
}
