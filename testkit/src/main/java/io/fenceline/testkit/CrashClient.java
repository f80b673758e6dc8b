package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Takes and releases a lock while its store comes and goes, as the engine does: what failed is repeated under its lock id. */
final class CrashClient implements Runnable {

    private static final int MOST_REPETITIONS = 10;

    private final LockBackend backend;
    private final LockKey key;
    private final Duration ttl;
    private final GrantHistory history;
    private final AtomicBoolean ended;

    CrashClient(LockBackend backend, LockKey key, Duration ttl, GrantHistory history, AtomicBoolean ended) {
        this.backend = backend;
        this.key = key;
        this.ttl = ttl;
        this.history = history;
        this.ended = ended;
    }

    @Override
    public void run() {
        try {
            while (!ended.get()) {
                cycle(AcquireRequest.of(key, LockId.random(), ttl, ContractVocabulary.HOLDER), history.greatest());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            history.addProblem("a client failed: " + e);
        }
    }

    private void cycle(AcquireRequest request, long greatestBefore) throws InterruptedException {
        for (int i = 0; i < MOST_REPETITIONS; i++) {
            try {
                Acquisition answer = backend.acquire(request);
                if (answer instanceof Granted granted) {
                    history.add(granted.grant(), greatestBefore);
                    backend.release(key, request.lockId());
                } else {
                    pause();
                }
                return;
            } catch (BackendException e) {
                if (!e.code().isTransient()) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() throws InterruptedException {
        Delays.system()
                .park(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(500, 5_000)));
    }
}
