package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Backends;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A process that takes and releases one lock as often as it can, until its input ends, and writes down each token that it was
 * granted. Its arguments are the key, the ttl in milliseconds and the file of tokens; the URI is in its environment.
 */
final class ContendingClient {

    static final String URI_VARIABLE = "FENCELINE_TESTKIT_URI";
    static final String READY = "ready";

    private static final long LONGEST_PAUSE_NANOS = 2_000_000;

    private final AtomicBoolean ended = new AtomicBoolean();
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
            client.endWithInput();
            System.out.println(READY);
            System.out.flush();
            client.contend(LockKey.of(args[0]), Duration.ofMillis(Long.parseLong(args[1])));
        }
    }

    /** Also ends it when the process that started it is gone. */
    private void endWithInput() {
        Thread watch = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {}
                    } catch (IOException e) {
                        // as good as an end
                    }
                    ended.set(true);
                },
                "end of input");
        watch.setDaemon(true);
        watch.start();
    }

    private void contend(LockKey key, Duration ttl) throws IOException, InterruptedException {
        Holder holder = Holder.ofThisProcess();
        while (!ended.get()) {
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
