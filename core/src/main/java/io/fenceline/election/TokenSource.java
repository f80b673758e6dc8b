package io.fenceline.election;

import io.fenceline.FenceStamp;
import java.util.Optional;

/**
 * Gives leader-only code its stamp at the moment of each write. It is empty from the moment on that leadership is doubtful
 * by the local deadline, so a background job or an asynchronous path cannot write with a stamp that it remembered by
 * accident: ask for it each time. Never does I/O; safe for all threads.
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
