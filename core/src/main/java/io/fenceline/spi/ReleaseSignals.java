package io.fenceline.spi;

import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.util.function.Consumer;

/**
 * Signals waiters that their lock may be free, or was handed over to them.
 *
 * <p>A signal is an optimization without guarantees. Signals may be lost, repeated or late, so the engine also polls at the end of
 * the running lease.
 */
public interface ReleaseSignals {

    /**
     * Subscribes a waiter that was just refused. Does not block on the store.
     *
     * <p>The waiter must not miss a release between its refusal and this call: a backend that cannot exclude one signals {@link
     * Signal.Released} at once, or as soon as it is subscribed, and the waiter retries.
     *
     * @param key the lock
     * @param waiter the lock id of the waiter
     * @param listener called from any thread; must not block or throw
     * @return the subscription
     */
    Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener);

    /** A signal to a waiter. */
    sealed interface Signal {

        /** A lease of the key ended, or ends sooner than it did; the waiter should retry. */
        record Released() implements Signal {}

        /**
         * The lock was handed to the waiter in the same atomic step as the release.
         *
         * @param grant the grant under the waiter's id. Its time counts from when the backend granted it, which is after
         *     the waiter's last refused attempt
         */
        record HandedOver(Grant grant) implements Signal {}
    }

    /** A running subscription. */
    interface Subscription extends AutoCloseable {

        /** Unsubscribes. A signal in flight may still arrive. Never throws. */
        @Override
        void close();
    }
}
