package io.fenceline.spi;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import java.util.List;
import java.util.Optional;

/** Lists leases and changes locks, for operators. Locking does not need it. */
public interface LockCatalog {

    /**
     * Lists running leases in the order of their keys' code points.
     *
     * @param prefix prefix of the keys; empty for all
     * @param limit maximum number of records, at least 1
     * @return the records
     */
    List<LockRecord> list(String prefix, int limit);

    /**
     * Lists keys that were ever granted or raised, held or not, in the order of their code points. Reads only. A large store is read in
     * pages: the next one begins after the last key of this one, and there is none if this one is empty.
     *
     * @param prefix prefix of the keys; empty for all
     * @param after a key, which need not exist, or empty: only greater ones are listed
     * @param limit maximum number of keys, at least 1
     * @return the keys whose {@link #lastToken} is present
     */
    List<KeyToken> tokens(String prefix, String after, int limit);

    /**
     * A key and its greatest token.
     *
     * @param key the lock
     * @param last the greatest token that was minted
     */
    record KeyToken(LockKey key, FencingToken last) {}

    /**
     * Returns the greatest token that was minted for a key. Reads only.
     *
     * @param key the lock
     * @return the token, or empty if the key was never granted and never raised, or has expired after an idle time ({@link TokenMode#CLOCK_FLOOR})
     */
    Optional<FencingToken> lastToken(LockKey key);

    /**
     * Raises a key's counter, so that every later grant is greater than {@code atLeast}. Use it after a restore from an
     * older copy. Never lowers the counter.
     *
     * @param key the lock
     * @param atLeast the token that later grants must exceed
     * @param by the operator, for the audit record
     * @return the counter
     */
    FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by);

    /**
     * Ends a running lease of any holder and spends a token, so that every later grant has a greater token than the
     * holder, who is not notified. A durable store keeps an audit record.
     *
     * @param key the lock
     * @param by the operator, for the audit record
     * @return the lease that was ended, or empty if the lock was free; then nothing is changed
     * @throws io.fenceline.BackendException also if no token is left to spend; the lease then runs on
     */
    Optional<LockRecord> forceRelease(LockKey key, Holder by);

    /**
     * Returns whether the store keeps audit records of operators' acts, such as a forced release. If not, the caller has to log them.
     *
     * @return true unless overridden
     */
    default boolean keepsRecords() {
        return true;
    }
}
