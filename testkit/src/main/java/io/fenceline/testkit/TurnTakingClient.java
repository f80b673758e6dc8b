package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.spi.LockBackend;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that takes one lock that many times, waiting for it each time, and writes down between which moments of the store's
 * clock it had it. Its arguments are the key, the number of turns and the file for them; the URI is in its environment.
 */
final class TurnTakingClient {

    private static final Duration TTL = Duration.ofMinutes(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    /**
     * A turn.
     *
     * @param token its fencing token
     * @param began when the lock was granted, in microseconds of the store's clock
     * @param ended a moment before the release, in microseconds of the store's clock
     */
    record Turn(long token, long began, long ended) {

        static final int BYTES = 3 * Long.BYTES;

        /** Returns the turns in a file, in the order in which they were taken. */
        static List<Turn> in(Path file) throws IOException {
            List<Turn> turns = new ArrayList<>();
            try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
                while (true) {
                    turns.add(new Turn(in.readLong(), in.readLong(), in.readLong()));
                }
            } catch (EOFException end) {
                return turns;
            }
        }
    }

    private TurnTakingClient() {}

    /** Runs the client. */
    public static void main(String[] args) throws Exception {
        LockKey key = LockKey.of(args[0]);
        LockOptions patient = LockOptions.defaults().withTtl(TTL).withMaxWait(LONGEST_WAIT);
        try (LockBackend backend = Backends.open(System.getenv(ContendingClient.URI_VARIABLE));
                Locks locks = Locks.over(backend);
                DataOutputStream turns = new DataOutputStream(new FileOutputStream(args[2], true))) {
            ParentLink parent = ParentLink.connect();
            for (int i = Integer.parseInt(args[1]); i > 0 && parent.isConnected(); i--) {
                try (Lease lease = locks.acquire(key.value(), patient)) {
                    Grant grant = lease.grant();
                    turns.writeLong(grant.token().value());
                    turns.writeLong(micros(grant.acquiredAt()));
                    turns.writeLong(micros(now(backend, grant)));
                }
            }
        }
    }

    /** An extended lease ends a ttl from now, by the only clock that counts. Only a lost answer is asked for again. */
    private static Instant now(LockBackend backend, Grant grant) {
        while (true) {
            try {
                return backend.extend(grant.key(), grant.lockId(), TTL)
                        .orElseThrow()
                        .minus(TTL);
            } catch (BackendException e) {
                if (e.effect() != Effect.UNKNOWN || !e.code().isTransient()) {
                    throw e;
                }
            }
        }
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
