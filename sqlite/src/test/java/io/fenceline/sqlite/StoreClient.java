package io.fenceline.sqlite;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** A process that uses a store: {@code FILE contend KEY TOKENS-FILE} or {@code FILE keep-write-lock}. */
final class StoreClient {

    /** What others have to wait for if this process is killed. */
    static final Duration TTL = Duration.ofMillis(250);

    private StoreClient() {}

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]);
        if (args[1].equals("contend")) {
            contend(file, LockKey.of(args[2]), Path.of(args[3]));
        } else {
            keepWriteLock(file);
        }
    }

    /** Takes and releases a lock, as often as it is granted, until its input ends. Writes down each token that it was granted. */
    private static void contend(Path file, LockKey key, Path tokens) throws Exception {
        try (LockBackend backend = SqliteLockBackend.open(file, SqliteOptions.defaults());
                DataOutputStream granted = new DataOutputStream(new FileOutputStream(tokens.toFile(), true))) {
            Holder holder = Holder.ofThisProcess();
            say("ready");
            awaitLine();
            while (System.in.available() == 0) {
                LockId id = LockId.random();
                Acquisition answer = backend.acquire(AcquireRequest.of(key, id, TTL, holder));
                if (answer instanceof Granted granting) {
                    granted.writeLong(granting.grant().token().value());
                    backend.release(key, id);
                } else {
                    Delays.system().park(ThreadLocalRandom.current().nextLong(2_000_000));
                }
            }
        }
    }

    /** Stays in the middle of writing until its input ends. */
    private static void keepWriteLock(Path file) {
        try (SqliteConnection connection =
                SqliteConnection.toWrite(file, Duration.ofSeconds(10), MachineClock.system())) {
            connection.inTransaction(statements -> {
                say("ready");
                awaitLine();
                return true;
            });
        }
    }

    private static void say(String word) {
        System.out.println(word);
        System.out.flush();
    }

    private static void awaitLine() {
        try {
            System.in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
