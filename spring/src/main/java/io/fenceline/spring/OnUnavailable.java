package io.fenceline.spring;

/** The outcome of a call whose lock is taken, or whose process does not lead. A store that fails throws in either case. */
public enum OnUnavailable {

    /**
     * The call throws: {@link io.fenceline.LockTimeoutException} for a lock, {@link io.fenceline.election.NotLeaderException} for
     * leadership.
     */
    THROW,

    /** The method does not run, and the call returns. For methods that return nothing or an {@link java.util.Optional}, then empty. */
    SKIP
}
