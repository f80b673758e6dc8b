package io.fenceline;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lock was not free within the wait. Nothing is held. */
public final class LockTimeoutException extends LockException {

    private final String key;
    private final Duration waited;
    private final @Nullable String holder;

    /**
     * Creates the exception.
     *
     * @param key the key that was not free
     * @param waited the wait
     * @param holder the last known holder, if any
     */
    public LockTimeoutException(LockKey key, Duration waited, Optional<Holder> holder) {
        this(key, waited, holder, "");
    }

    private LockTimeoutException(LockKey key, Duration waited, Optional<Holder> holder, String advice) {
        super(
                ErrorCode.ACQUISITION_TIMEOUT,
                "lock '" + key + "' was not free within " + waited.toMillis() + " ms"
                        + holder.map(h -> "; it is held by " + h).orElse("")
                        + advice,
                null);
        this.key = key.value();
        this.waited = waited;
        this.holder = holder.map(Holder::text).orElse(null);
    }

    /**
     * Returns the exception for a thread that waited for a lock that it had acquired itself.
     *
     * @param key the key that was not free
     * @param waited the wait
     * @param holder the holder in this process
     * @return the exception, whose message says so
     */
    public static LockTimeoutException ofOwnLock(LockKey key, Duration waited, Optional<Holder> holder) {
        return new LockTimeoutException(
                key,
                waited,
                holder,
                "; this thread itself acquired it and has not released it: locks are not reentrant, so pass the lease on instead");
    }

    /**
     * Returns the key that was not free.
     *
     * @return the key
     */
    public LockKey key() {
        return LockKey.of(key);
    }

    /**
     * Returns the wait.
     *
     * @return the wait
     */
    public Duration waited() {
        return waited;
    }

    /**
     * Returns the last known holder.
     *
     * @return the holder, or empty if the store does not report it
     */
    public Optional<Holder> holder() {
        return Optional.ofNullable(holder).map(Holder::of);
    }
}
