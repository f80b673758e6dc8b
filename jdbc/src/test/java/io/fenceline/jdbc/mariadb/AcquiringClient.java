package io.fenceline.jdbc.mariadb;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.spi.Backends;
import io.fenceline.spi.LockBackend;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that acquires one lock so many times, and tells of each time what the server's clock said at its end. */
final class AcquiringClient {

    private AcquiringClient() {}

    public static void main(String[] args) throws Exception {
        LockOptions patient = LockOptions.defaults()
                .withHolder(Holder.ofThisProcess())
                .withTtl(Duration.ofSeconds(60))
                .withMaxWait(Duration.ofMinutes(5));
        try (LockBackend backend = Backends.open(args[0]);
                Locks locks = Locks.over(backend);
                Connection connection = DriverManager.getConnection(args[1]);
                Statement clock = connection.createStatement()) {
            for (int i = Integer.parseInt(args[2]); i > 0; i--) {
                try (Lease lease = locks.acquire("hot", patient)) {
                    long began = micros(clock);
                    System.out.println(lease.token().value() + " " + began + " " + micros(clock));
                }
            }
        }
    }

    private static long micros(Statement clock) throws Exception {
        try (ResultSet row = clock.executeQuery("SELECT " + MariaDbRows.NOW)) {
            row.next();
            return row.getLong(1);
        }
    }

    static Process start(String uri, String url, int times) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AcquiringClient.class.getName(),
                        uri,
                        url,
                        Integer.toString(times))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Reads what it told, and waits for its end. */
    static List<Turn> turns(Process client) throws Exception {
        List<Turn> turns = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] numbers = line.split(" ");
                turns.add(new Turn(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2])));
            }
        }
        if (client.waitFor() != 0) {
            throw new AssertionError("a client failed");
        }
        return turns;
    }

    /** What one acquisition saw of the server's clock. */
    record Turn(long token, long began, long ended) {}
}
