package io.fenceline.internal;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LeasedLock;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.LossReason;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Adapts a lock key to {@link java.util.concurrent.locks.Lock}.
 *
 * <p>Each thread has its own lease: after one thread's lease is lost and another thread gets the lock, a late unlock by the first
 * must find its own, lost lease.
 */
public final class LockView implements LeasedLock {

    private static final Duration FOREVER = Duration.ofDays(365_000);

    private final Engine engine;
    private final LockKey key;
    private final LockOptions options;

    @SuppressWarnings("ThreadLocalUsage") // one per lock, since a thread can hold several
    private final ThreadLocal<HeldLease> held = new ThreadLocal<>();

    /** Creates a view that holds no lease. */
    public LockView(Engine engine, LockKey key, LockOptions options) {
        this.engine = engine;
        this.key = key;
        this.options = options;
    }

    @Override
    public String toString() {
        return "LeasedLock[key=" + key + (held.get() == null ? "" : ", locked by this thread") + "]";
    }

    @Override
    public void lock() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    lockInterruptibly();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        ensureNotHeldHere();
        held.set(Acquiring.waitFor(engine, key, options.withMaxWait(FOREVER)));
    }

    @Override
    public boolean tryLock() {
        ensureNotHeldHere();
        HeldLease lease = Acquiring.tryOnce(engine, key, options);
        if (lease != null) {
            held.set(lease);
        }
        return lease != null;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        ensureNotHeldHere();
        try {
            held.set(Acquiring.waitFor(
                    engine, key, options.withMaxWait(Duration.ofNanos(Math.max(0, unit.toNanos(time))))));
            return true;
        } catch (LockTimeoutException e) {
            return false;
        }
    }

    @Override
    public void unlock() {
        HeldLease lease = held.get();
        if (lease == null) {
            throw new IllegalMonitorStateException("lock '" + key + "' was not locked by this thread");
        }
        held.remove();
        if (!lease.isHeld()) {
            lease.close(); // a failure to release matters less than the loss
            lease.ensureHeld();
        }
        try (lease) { // nobody else has it: after a failure close() repeats the release in the background
            if (lease.tellsOfLoss(lease.release())) {
                throw new LeaseLostException(lease.stamp(), LossReason.REFUSED_BY_BACKEND, null);
            }
        }
    }

    @Override
    public Optional<Lease> lease() {
        return Optional.ofNullable(held.get());
    }

    private void ensureNotHeldHere() {
        if (held.get() != null) {
            throw new IllegalMonitorStateException(
                    "lock '" + key + "' is locked by this thread already and is not re-entrant; unlock it first");
        }
    }
}
