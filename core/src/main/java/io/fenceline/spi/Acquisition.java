package io.fenceline.spi;

import io.fenceline.Grant;
import io.fenceline.Holder;
import java.time.Duration;
import java.util.Optional;

/** The outcome of one attempt to take a lock. */
public sealed interface Acquisition {

    /**
     * The lock is the caller's.
     *
     * @param grant the grant; the same one again if the lock id already had it
     */
    record Granted(Grant grant) implements Acquisition {}

    /**
     * Another lease still runs. Nothing was minted and nothing was changed, except that a backend with a queue may have
     * entered the request into it.
     *
     * @param remaining how long that lease runs at the most unless it is renewed, by the backend's clock at the time of
     *     its answer
     * @param holder who holds the lock, if the store tells
     * @param queued whether the lock id now stands in the backend's queue, where a release takes it out
     */
    record Contended(Duration remaining, Optional<Holder> holder, boolean queued) implements Acquisition {

        /**
         * Creates the outcome of a backend without a queue.
         *
         * @param remaining how long the running lease runs at the most
         * @param holder who holds the lock, if the store tells
         */
        public Contended(Duration remaining, Optional<Holder> holder) {
            this(remaining, holder, false);
        }
    }
}
