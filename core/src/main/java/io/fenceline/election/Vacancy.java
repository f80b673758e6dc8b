package io.fenceline.election;

import io.fenceline.BackendException;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The time for which a group has been without a leader, as a candidate that hesitates sees it. */
final class Vacancy {

    private static final System.Logger LOG = System.getLogger("io.fenceline");
    private static final Duration POLL_PAUSE = Duration.ofMillis(250);

    private final Locks locks;
    private final String key;
    private final long hesitationNanos;

    Vacancy(Locks locks, String key, Duration hesitation) {
        this.locks = locks;
        this.key = key;
        this.hesitationNanos = TimeUnit.NANOSECONDS.convert(hesitation); // toNanos() fails beyond 292 years
    }

    /**
     * Polls until the group is known to have been without a leader for the hesitation, and then asks for the lock once. As in a wait for a
     * lock, failures that pass only make it longer.
     */
    Optional<Lease> fill(LockOptions options) throws InterruptedException {
        await();
        return unlessStoreIsAway(() -> locks.tryAcquire(key, options)).flatMap(lease -> lease);
    }

    private void await() throws InterruptedException {
        TimeSource time = locks.time();
        boolean wasVacant = false;
        long vacantSince = 0;
        while (true) {
            if (locks.isClosed()) {
                throw new IllegalStateException("the locks are closed");
            }
            boolean vacant = unlessStoreIsAway(() -> locks.lookup(key))
                    .filter(Optional::isEmpty)
                    .isPresent();
            long now = time.ticker().nanos();
            if (!wasVacant) {
                vacantSince = now;
            } else if (vacant && now - vacantSince >= hesitationNanos) {
                return;
            }
            wasVacant = vacant;
            time.delays().park(Math.min(POLL_PAUSE.toNanos(), hesitationNanos));
        }
    }

    private static <T> Optional<T> unlessStoreIsAway(Supplier<T> request) {
        try {
            return Optional.of(request.get());
        } catch (BackendException e) {
            if (!e.code().isTransient()) {
                throw e;
            }
            LOG.log(Level.DEBUG, "a candidate that hesitates waits for the store", e);
            return Optional.empty();
        }
    }
}
