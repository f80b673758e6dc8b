package io.fenceline.integration;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.ReleaseOutcome;
import io.fenceline.integration.Holds.Hold;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A reentrant lock of a registry. Has the methods of {@code DistributedLock}, which implementations of earlier versions cannot name. */
final class RegistryLock implements Lock {

    private static final Duration FOREVER = Duration.ofDays(365_000);

    private final Holds holds;
    private final LockKey key;

    RegistryLock(Holds holds, LockKey key) {
        this.holds = holds;
        this.key = key;
    }

    Optional<Lease> lease() {
        return Optional.ofNullable(holds.find(key)).map(hold -> hold.lease);
    }

    @Override
    public void lock() {
        lock(holds.options().ttl());
    }

    /** Waits without limit. A thread that holds the lock keeps its ttl. */
    public void lock(Duration ttl) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    lockInterruptibly(ttl);
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
        lockInterruptibly(holds.options().ttl());
    }

    private void lockInterruptibly(Duration ttl) throws InterruptedException {
        refuseInterrupted();
        Hold hold = holds.find(key);
        if (hold == null) {
            holds.put(holds.locks().acquire(key.value(), options(ttl, FOREVER)));
            return;
        }
        hold.lease.ensureHeld();
        hold.count++;
    }

    @Override
    public boolean tryLock() {
        Hold hold = holds.find(key);
        if (hold != null) {
            return lockAgain(hold);
        }
        Optional<Lease> lease = holds.locks().tryAcquire(key.value(), holds.options());
        lease.ifPresent(holds::put);
        return lease.isPresent();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(time)), holds.options().ttl());
    }

    /** Waits at most for the given time. A thread that holds the lock keeps its ttl. */
    public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
        refuseInterrupted();
        Hold hold = holds.find(key);
        if (hold != null) {
            return lockAgain(hold);
        }
        try {
            holds.put(holds.locks().acquire(key.value(), options(ttl, wait.isNegative() ? Duration.ZERO : wait)));
            return true;
        } catch (LockTimeoutException e) {
            return false;
        }
    }

    /** As the contract of {@link Lock} says, also of a thread that would not wait because it holds the lock. */
    private static void refuseInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /**
     * Counts one more lock, or gives a lost lease up. What is left of that in the store is left to run out: a leader has this time to revoke
     * before the next one is granted.
     */
    private boolean lockAgain(Hold hold) {
        if (hold.lease.isHeld()) {
            hold.count++;
            return true;
        }
        holds.remove(key);
        return false;
    }

    @Override
    public void unlock() {
        Hold hold = hold();
        if (--hold.count > 0) {
            return;
        }
        holds.remove(key);
        long end = System.nanoTime() + hold.lease.remaining().toNanos();
        boolean lost = !hold.lease.isHeld();
        if (lost) {
            hold.lease.close(); // a failure to release matters less than the loss
        } else {
            try (Lease lease =
                    hold.lease) { // nobody else has it: after a failure close() repeats the release in the background
                // a store that stood still until the end had nothing to release, which tells of no loss
                lost = lease.release() == ReleaseOutcome.ALREADY_ENDED && end - System.nanoTime() > 0;
            }
        }
        if (lost) {
            throw new ConcurrentModificationException("the lease of lock '" + key
                    + "' was lost before its unlock; another holder may have worked at the same time");
        }
    }

    void renew(Duration ttl) {
        try {
            hold().lease.extend(ttl);
        } catch (LeaseLostException e) {
            throw new IllegalStateException("lock '" + key + "' cannot be renewed: " + e.getMessage(), e);
        }
    }

    private Hold hold() {
        Hold hold = holds.find(key);
        if (hold == null) {
            throw new IllegalMonitorStateException("lock '" + key + "' is not held by this thread");
        }
        return hold;
    }

    private LockOptions options(Duration ttl, Duration wait) {
        return holds.options().withTtl(ttl).withMaxWait(wait);
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return "Lock[key=" + key + "]";
    }
}
