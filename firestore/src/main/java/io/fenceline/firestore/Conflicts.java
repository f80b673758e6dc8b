package io.fenceline.firestore;

import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between tries of those who want to write the same document at the same time, so that one of them can. */
final class Conflicts {

    private static final long SHORTEST_NANOS = Duration.ofMillis(1).toNanos();
    private static final int MOST_DOUBLINGS = 6;

    private Conflicts() {}

    /**
     * Waits for a random time, longer after more conflicts.
     *
     * @param conflicts how many there were, at least 1
     * @return whether there is time for another attempt
     */
    static boolean pause(int conflicts, Deadline deadline) {
        long longest = SHORTEST_NANOS << Math.min(conflicts, MOST_DOUBLINGS);
        try {
            Delays.system().park(Math.min(ThreadLocalRandom.current().nextLong(longest), deadline.remainingNanos()));
        } catch (InterruptedException e) {
            Thread.currentThread()
                    .interrupt(); // the caller's business; the number of attempts is limited by time all the same
        }
        return !deadline.hasPassed();
    }
}
