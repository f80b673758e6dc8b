package io.fenceline.spi;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import java.util.List;
import java.util.Optional;

/** The ability to list what is held and to put things right by hand. For operators; nothing here is needed to lock. */
public interface LockCatalog {

    /**
     * Lists running leases in the order of their keys' code points.
     *
     * @param prefix what their keys start with; empty for all
     * @param limit the most records to return, at least 1
     * @return the records
     */
    List<LockRecord> list(String prefix, int limit);

    /**
     * Returns the greatest token that was minted for a key. Reads only.
     *
     * @param key the lock
     * @return the token, or empty if the key was never granted and never raised, or was idle so long that forgetting its
     *     token is safe ({@link TokenMode#CLOCK_FLOOR})
     */
    Optional<FencingToken> lastToken(LockKey key);

    /**
     * Raises a key's counter, so that every later grant is greater than {@code atLeast}. Used after a store was restored
     * from an older copy. A counter that is already as high stays as it is.
     *
     * @param key the lock
     * @param atLeast the token that later grants must exceed
     * @param by who does it, for the audit record
     * @return the counter as it is now
     */
    FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by);

    /**
     * Ends a running lease of any holder and spends a token, so that the holder, who is not told, is older than every
     * later grant. The act is kept in the store's audit record, if the store is durable.
     *
     * @param key the lock
     * @param by who does it, for the audit record
     * @return the lease that was ended, or empty if the lock was free; then nothing is changed
     * @throws io.fenceline.BackendException also if no token is left to spend; the lease then runs on
     */
    Optional<LockRecord> forceRelease(LockKey key, Holder by);

    /**
     * Tells whether the store records what operators do by hand, such as a forced release. If it does not, the caller has to log
     * it.
     *
     * @return true unless overridden
     */
    default boolean keepsRecords() {
        return true;
    }
}
