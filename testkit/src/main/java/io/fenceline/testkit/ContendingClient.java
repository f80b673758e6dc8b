package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A process that takes and releases one lock as often as it can, until its input ends, and writes down each token that it was
 * granted. Its arguments are the key, the ttl in milliseconds and the file of tokens; the URI is in its environment.
 */
final class ContendingClient {

    static final String URI_VARIABLE = "FENCELINE_TESTKIT_URI";

    private static final long LONGEST_PAUSE_NANOS = 2_000_000;

    private final LockBackend backend;
    private final DataOutputStream tokens;

    private ContendingClient(LockBackend backend, DataOutputStream tokens) {
        this.backend = backend;
        this.tokens = tokens;
    }

    /** Runs the client. */
    public static void main(String[] args) throws Exception {
        try (LockBackend backend = Backends.open(System.getenv(URI_VARIABLE));
                DataOutputStream tokens = new DataOutputStream(new FileOutputStream(args[2], true))) {
            ContendingClient client = new ContendingClient(backend, tokens);
            client.contend(LockKey.of(args[0]), Duration.ofMillis(Long.parseLong(args[1])));
        }
    }

    private void contend(LockKey key, Duration ttl) throws IOException, InterruptedException {
        Holder holder = Holder.ofThisProcess();
        ParentLink parent = ParentLink.connect();
        while (parent.isConnected()) {
            LockId lockId = LockId.random();
            try {
                if (backend.acquire(AcquireRequest.of(key, lockId, ttl, holder)) instanceof Granted granted) {
                    tokens.writeLong(granted.grant().token().value());
                    backend.release(key, lockId);
                } else {
                    Delays.system().park(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
                }
            } catch (BackendException e) {
                if (!e.code().isTransient()) {
                    throw e;
                }
                Delays.system().park(LONGEST_PAUSE_NANOS);
            }
        }
    }
}
