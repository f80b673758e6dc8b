package io.fenceline.spi;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.util.Optional;

/** The outcome of one attempt to acquire a lock. */
public sealed interface Acquisition {

    /**
     * The lock was granted.
     *
     * @param grant the grant; the earlier one if the lock id already has it
     */
    record Granted(Grant grant) implements Acquisition {}

    /**
     * Another lease runs. No token was minted and nothing was changed, except that a backend with a wait queue may have enqueued
     * the request.
     *
     * @param remaining the remaining time of that lease unless it is renewed, by the backend's clock; capped at {@link
     *     LockOptions#MAX_TTL}, which only a lease that was changed by hand exceeds
     * @param holder the holder, if the store reports it
     * @param queued whether the lock id is now in the backend's wait queue; a release removes it
     */
    record Contended(Duration remaining, Optional<Holder> holder, boolean queued) implements Acquisition {

        /** Caps the remaining time. */
        public Contended {
            remaining = remaining.compareTo(LockOptions.MAX_TTL) > 0 ? LockOptions.MAX_TTL : remaining;
        }

        /**
         * Creates the outcome of a backend without a wait queue.
         *
         * @param remaining the remaining time of the running lease
         * @param holder the holder, if the store reports it
         */
        public Contended(Duration remaining, Optional<Holder> holder) {
            this(remaining, holder, false);
        }
    }
}
