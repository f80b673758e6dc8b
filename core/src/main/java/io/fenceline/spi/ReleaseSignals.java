package io.fenceline.spi;

import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.util.function.Consumer;

/**
 * The ability to tell a waiter that its lock may be free, or is already its own.
 *
 * <p>A signal saves a waiter from polling; it promises nothing. Signals may be lost, repeated or late, so the engine
 * polls at the end of the running lease as well.
 */
public interface ReleaseSignals {

    /**
     * Starts to listen for a waiter that was just refused. Does not wait for the store.
     *
     * <p>The waiter must not miss a release that came between its refusal and this call: a backend that cannot exclude one
     * signals {@link Signal.Released} at once, or as soon as it listens, and the waiter asks again.
     *
     * @param key the lock
     * @param waiter the id that waits for it
     * @param listener told from any thread; it returns at once and throws nothing
     * @return what ends the listening
     */
    Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener);

    /** A signal to a waiter. */
    sealed interface Signal {

        /** A lease of the key ended; asking is worth it. */
        record Released() implements Signal {}

        /**
         * The releaser handed the lock to the waiter in the same atomic step: it is the waiter's own.
         *
         * @param grant the grant under the waiter's id. Its time counts from when the backend granted it, which is after
         *     the waiter's last refused attempt
         */
        record HandedOver(Grant grant) implements Signal {}
    }

    /** A running subscription. */
    interface Subscription extends AutoCloseable {

        /** Ends it. A signal that was on its way may still arrive, none is sent after. Never throws. */
        @Override
        void close();
    }
}
