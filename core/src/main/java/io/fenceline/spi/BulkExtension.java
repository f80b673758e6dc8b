package io.fenceline.spi;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

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
     * @return for each extension, in the same order, the end of the lease by the backend's clock, or empty if the id has no running
     *     lease of the key
     * @throws io.fenceline.BackendException if the store cannot answer. When its effect is {@link
     *     io.fenceline.Effect#UNKNOWN} each lease ends at its old or its new time
     */
    List<Optional<Instant>> extendAll(List<Extension> extensions);

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
}
