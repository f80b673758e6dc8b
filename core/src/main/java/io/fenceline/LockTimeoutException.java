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
        super(
                ErrorCode.ACQUISITION_TIMEOUT,
                "lock '" + key + "' was not free within " + waited.toMillis() + " ms"
                        + holder.map(h -> "; it is held by " + h).orElse(""),
                null);
        this.key = key.value();
        this.waited = waited;
        this.holder = holder.map(Holder::text).orElse(null);
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
