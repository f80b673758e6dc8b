package io.fenceline.integration;

import static java.util.Objects.requireNonNull;

import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A lock registry on {@link Locks}, for Spring Integration 6.5 and 7. On 7, call {@code executeLocked} through a variable of type
 * {@code LockRegistry<?>}: this class is compiled against 6.5, where the interface has no type parameter.
 *
 * <p>Its locks are reentrant, belong to the thread that locked, and are renewed for as long as that thread holds them, without a
 * renewal task scheduler. Where Spring
 * Integration has {@code DistributedLock}, they are such. A lock's key is a {@link String}, which is the {@linkplain LockKey lock
 * key}: locks of this registry and {@code Locks} that use the same key exclude each other.
 *
 * <p>If the lease of a lock is lost while a thread holds it:
 *
 * <ul>
 *   <li>{@code tryLock} by this thread answers false, and the thread holds the lock no longer. The store keeps it to the end of its ttl:
 *       {@code LockRegistryLeaderInitiator} revokes its leadership meanwhile, and tries again;
 *   <li>{@code lock} by this thread throws {@link io.fenceline.LeaseLostException};
 *   <li>its last {@code unlock} throws {@link java.util.ConcurrentModificationException}, since its work may have overlapped with another's.
 * </ul>
 *
 * <p>All methods that lock throw {@link io.fenceline.BackendException} if the store fails for good; those that wait retry transient failures
 * within their wait. Thread-safe.
 */
public final class FencelineLockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {

    private final Holds holds;

    private FencelineLockRegistry(Holds holds) {
        this.holds = holds;
    }

    /**
     * Returns a registry.
     *
     * @param locks takes the locks; the caller closes it after their use
     * @param options options of each lock; the wait is not used. Under {@code LockRegistryLeaderInitiator}, a {@linkplain
     *     LockOptions#withSafetyMargin safety margin} above its heart beat ends one leadership before the next one begins
     * @return a registry that holds no lock
     */
    public static FencelineLockRegistry over(Locks locks, LockOptions options) {
        return new FencelineLockRegistry(new Holds(requireNonNull(locks, "locks"), requireNonNull(options, "options")));
    }

    /**
     * Returns the lock of a key. What is held is kept by the registry, not by this object.
     *
     * @param lockKey a {@link String}; see {@link LockKey}
     * @return the lock; {@code newCondition} is not supported
     * @throws IllegalArgumentException if it is no string, or no lock key
     */
    @Override
    public Lock obtain(Object lockKey) {
        return DistributedLocks.of(lock(lockKey));
    }

    /**
     * Returns the lease of a lock that the calling thread holds, for its stamp.
     *
     * @param lockKey the key of the lock
     * @return the lease, also after it was lost; empty if this thread does not hold the lock
     */
    public Optional<Lease> lease(Object lockKey) {
        return lock(lockKey).lease();
    }

    /**
     * Extends a lock that the calling thread holds by the ttl of the options. Leases are renewed without it.
     *
     * @param lockKey the key of the lock
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     * @throws IllegalStateException if its lease is lost
     * @throws io.fenceline.BackendException if the store does not answer
     */
    @Override
    public void renewLock(Object lockKey) {
        renewLock(lockKey, holds.options().ttl());
    }

    /**
     * Extends a lock that the calling thread holds. Never shortens it; further renewals are by the same ttl.
     *
     * @param lockKey the key of the lock
     * @param ttl the time from now
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     * @throws IllegalStateException if its lease is lost
     * @throws io.fenceline.BackendException if the store does not answer
     */
    // Overrides a method of Spring Integration 7.
    public void renewLock(Object lockKey, Duration ttl) {
        lock(lockKey).renew(ttl);
    }

    /** No-op: nothing is kept for a lock that no thread holds. */
    @Override
    public void expireUnusedOlderThan(long age) {}

    private RegistryLock lock(Object lockKey) {
        if (!(lockKey instanceof String key)) {
            throw new IllegalArgumentException("lock key " + lockKey + " is no String");
        }
        return new RegistryLock(holds, LockKey.of(key));
    }
}
