package io.fenceline.testkit.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The expected state of the server's locks by its own clock, derived from what it answered. */
final class ServerLocks {

    /** The last lease of a key; it is over at its end or when it is taken away. */
    private record Lease(int lockId, long token, long lastToken, long endNanos) {

        Lease until(long nanos) {
            return new Lease(lockId, token, lastToken, nanos);
        }
    }

    private final Map<String, Lease> leases = new HashMap<>();
    private final Map<String, Long> highestTokens = new HashMap<>();

    boolean isTaken(String key, long nanos) {
        Lease lease = leases.get(key);
        return lease != null && lease.endNanos > nanos;
    }

    /** Whether a lease under the lock id of an event runs. */
    boolean runs(Event.OnServer event, long nanos) {
        Lease lease = leases.get(event.key());
        return lease != null && lease.lockId == event.lockId() && lease.endNanos > nanos;
    }

    /** Whether the lease runs that a holder believes in. */
    boolean runs(Event.Believes belief, long nanos) {
        Lease lease = leases.get(belief.key());
        return lease != null
                && lease.lockId == belief.lockId()
                && lease.token <= belief.token()
                && belief.token() <= lease.lastToken
                && lease.endNanos > nanos;
    }

    /** When the last lease of a key ends. */
    long endNanos(String key) {
        return Objects.requireNonNull(leases.get(key)).endNanos;
    }

    long highestToken(String key) {
        return highestTokens.getOrDefault(key, 0L);
    }

    void granted(Event.Granted granted, long nanos) {
        long end = nanos + granted.ttlNanos();
        leases.put(granted.key(), new Lease(granted.lockId(), granted.token(), granted.lastToken(), end));
        highestTokens.put(granted.key(), granted.lastToken());
    }

    /** An extension never moves an end back. */
    void extended(Event.Extended extended, long nanos) {
        leases.computeIfPresent(
                extended.key(), (key, lease) -> lease.until(Math.max(lease.endNanos, nanos + extended.ttlNanos())));
    }

    void kept(Event.Kept kept, long nanos) {
        leases.computeIfPresent(kept.key(), (key, lease) -> lease.until(nanos + kept.restNanos()));
    }

    void ended(Event.Ended ended) {
        leases.remove(ended.key());
    }
}
