package io.fenceline.election;

import io.fenceline.FenceStamp;
import java.util.Optional;

/**
 * Source of the current stamp for leader-only code. It is empty from the local deadline on. Read it for each write instead of
 * keeping the stamp, so that background jobs and asynchronous code stop in time. Never does I/O; thread-safe.
 */
@FunctionalInterface
public interface TokenSource {

    /**
     * Returns the stamp of the running term.
     *
     * @return the stamp, or empty while this candidate does not lead
     */
    Optional<FenceStamp> current();

    /**
     * Returns the stamp of the running term.
     *
     * @return the stamp
     * @throws NotLeaderException while this candidate does not lead
     */
    default FenceStamp required() {
        return current().orElseThrow(NotLeaderException::new);
    }
}
