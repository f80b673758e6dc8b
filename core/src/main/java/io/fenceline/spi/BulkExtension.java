package io.fenceline.spi;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Extends many leases in one round trip, and with one flush where the store flushes. The engine renews leases with it.
 *
 * <p>Not for stores that keep the locks on several servers: one that does not answer would delay the extensions on all others.
 */
public interface BulkExtension {

    /**
     * Does what {@link LockBackend#extend} does, for each of several leases. Each extension is atomic, not all together.
     *
     * @param extensions the leases, each lock id at most once
     * @return an answer for each extension, in the same order
     * @throws BackendException if the store cannot answer. When its effect is {@link io.fenceline.Effect#UNKNOWN} each lease ends
     *     at its old or its new time
     */
    List<Answer> extendAll(List<Extension> extensions);

    /**
     * One lease to extend.
     *
     * @param key the lock
     * @param lockId the lock id
     * @param ttl the new ttl, from now on
     */
    record Extension(LockKey key, LockId lockId, Duration ttl) {

        /**
         * Checks the ttl.
         *
         * @throws IllegalArgumentException if it is not valid ({@link LockOptions#requireTtl})
         */
        public Extension {
            LockOptions.requireTtl(ttl);
        }
    }

    /** The store's answer for one lease. */
    final class Answer {

        private final @Nullable Instant end;
        private final @Nullable BackendException failure;

        private Answer(@Nullable Instant end, @Nullable BackendException failure) {
            this.end = end;
            this.failure = failure;
        }

        /**
         * Returns the answer of a store that has looked at the lease.
         *
         * @param end as {@link LockBackend#extend} returns it
         * @return the answer
         */
        public static Answer of(Optional<Instant> end) {
            return new Answer(end.orElse(null), null);
        }

        /**
         * Returns the answer for a lease that cannot be extended at the moment, although others can.
         *
         * @param failure why; its effect is that on this lease
         * @return the answer
         */
        public static Answer failed(BackendException failure) {
            return new Answer(null, failure);
        }

        /**
         * Returns what {@link LockBackend#extend} would.
         *
         * @return the end of the lease by the backend's clock, or empty if the id has no running lease of the key
         * @throws BackendException if this lease could not be extended
         */
        public Optional<Instant> end() {
            if (failure != null) {
                throw failure;
            }
            return Optional.ofNullable(end);
        }
    }
}
