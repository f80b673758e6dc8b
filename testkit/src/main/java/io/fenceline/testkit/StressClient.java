package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A process that takes a lock again and again, never renews it, and changes one text while it believes that it holds it: it
 * claims, reads, pauses, and writes a text that nobody else writes. Some pauses are longer than the ttl, so that the lock is
 * taken over in between. Arguments: its name, key, resource, ttl in milliseconds, whether guarded, log, class of the data,
 * seed.
 */
final class StressClient {

    static final String LOCKS_VARIABLE = "FENCELINE_TESTKIT_URI";
    static final String DATA_VARIABLE = "FENCELINE_TESTKIT_DATA";

    private static final int MOST_WRITES_OF_A_GRANT = 10;
    private static final int WRITES_FOR_A_LONG_PAUSE = 40;
    private static final long SHORT_PAUSE_NANOS = 400_000;
    private static final long BETWEEN_ATTEMPTS_NANOS = 2_000_000;

    private final String name;
    private final LockKey key;
    private final String resource;
    private final Duration ttl;
    private final GuardedData data;
    private final StressLog log;
    private final Random random;
    private final ParentLink parent;
    private long writes;

    private StressClient(String[] args, GuardedData data, StressLog log, ParentLink parent) {
        this.name = args[0];
        this.key = LockKey.of(args[1]);
        this.resource = args[2];
        this.ttl = Duration.ofMillis(Long.parseLong(args[3]));
        this.random = new Random(Long.parseLong(args[7]));
        this.data = data;
        this.log = log;
        this.parent = parent;
    }

    /** Runs the client. */
    public static void main(String[] args) throws Exception {
        try (LockBackend locks = Backends.open(System.getenv(LOCKS_VARIABLE));
                StressedData opening = opening(Class.forName(args[6]));
                StressLog log = StressLog.to(Path.of(args[5]))) {
            String address = System.getenv(DATA_VARIABLE);
            GuardedData data = Boolean.parseBoolean(args[4]) ? opening.guarded(address) : opening.unguarded(address);
            new StressClient(args, data, log, ParentLink.connect()).contend(locks);
        }
    }

    static StressedData opening(Class<?> type) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return (StressedData) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " needs a constructor without parameters", e);
        }
    }

    private void contend(LockBackend locks) throws IOException, InterruptedException {
        Holder holder = Holder.of(name);
        while (parent.isConnected()) {
            LockId lockId = LockId.random();
            try {
                if (locks.acquire(AcquireRequest.of(key, lockId, ttl, holder)) instanceof Granted granted) {
                    hold(new FenceStamp(key, granted.grant().token()));
                    locks.release(key, lockId);
                } else {
                    park(random.nextLong(BETWEEN_ATTEMPTS_NANOS));
                }
            } catch (BackendException e) {
                if (!e.code().isTransient()) {
                    throw e;
                }
                park(BETWEEN_ATTEMPTS_NANOS);
            }
        }
    }

    private void hold(FenceStamp stamp) throws IOException, InterruptedException {
        try {
            data.guard().claim(resource, stamp);
        } catch (StaleTokenException overtaken) {
            return;
        }
        log.claimed(stamp.token().value());
        boolean isHolder = true;
        for (int more = random.nextInt(MOST_WRITES_OF_A_GRANT); isHolder && more >= 0 && parent.isConnected(); more--) {
            String base = data.read(resource).orElse(WriteHistory.START);
            pause();
            isHolder = write(stamp, base);
        }
    }

    private boolean write(FenceStamp stamp, String base) throws IOException {
        String value = name + "." + ++writes;
        log.writing(stamp.token().value(), base, value);
        try {
            data.write(resource, stamp, value);
            log.accepted();
            return true;
        } catch (StaleTokenException overtaken) {
            log.refused();
            return false;
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                log.refused();
            }
            throw e;
        }
    }

    private void pause() throws InterruptedException {
        long ttlNanos = ttl.toNanos();
        park(
                random.nextInt(WRITES_FOR_A_LONG_PAUSE) == 0
                        ? ttlNanos + random.nextLong(ttlNanos)
                        : random.nextLong(SHORT_PAUSE_NANOS));
    }

    private static void park(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > TimeUnit.MICROSECONDS.toNanos(1); left = end - System.nanoTime()) {
            Delays.system().park(left);
        }
    }
}
