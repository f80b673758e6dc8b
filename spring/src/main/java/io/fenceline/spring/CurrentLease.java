package io.fenceline.spring;

import io.fenceline.FenceStamp;
import io.fenceline.Lease;
import java.util.Objects;
import java.util.Optional;

/**
 * The lease under which the current thread runs a {@link Locked} method or the body of a {@link LockTemplate}: for methods that cannot
 * take a parameter for it, such as scheduled ones.
 */
public final class CurrentLease {

    private CurrentLease() {}

    /**
     * Returns the lease of the innermost locked call.
     *
     * @return the lease, or empty if this thread runs no locked call
     */
    public static Optional<Lease> find() {
        return FenceScope.current().stream()
                .map(FenceScope::lease)
                .filter(Objects::nonNull)
                .findFirst();
    }

    /**
     * Returns the lease of the innermost locked call.
     *
     * @return the lease
     * @throws IllegalStateException if this thread runs no locked call, for instance because a {@link Locked} method was called on
     *     {@code this}, past its proxy
     */
    public static Lease required() {
        return find().orElseThrow(() -> new IllegalStateException(
                "this thread holds no lock: a @Locked method takes its lock only when it is called through its bean, not on"
                        + " 'this', and holds it on the calling thread only; a @LeaderOnly method has a stamp and no lease:"
                        + " CurrentLease.stamp()"));
    }

    /**
     * Returns the stamp for guarded writes of the innermost scope: of the lease, of the leader's term under {@link LeaderOnly}, or of
     * a {@link FenceScope}.
     *
     * @return the key and the token
     * @throws IllegalStateException if no stamp is in force on this thread
     */
    public static FenceStamp stamp() {
        return FenceScope.current().stream()
                .map(FenceScope::stamp)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "no stamp is in force on this thread: call a @Locked or @LeaderOnly method through its bean, not on"
                                + " 'this'"));
    }
}
