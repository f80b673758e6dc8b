package io.fenceline.firestore;

import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Random pauses between attempts of clients that write the same document. */
final class ConflictBackoff {

    private static final long MIN_NANOS = Duration.ofMillis(1).toNanos();
    private static final int MAX_DOUBLINGS = 6;

    private ConflictBackoff() {}

    /**
     * Pauses for a random time, longer after more conflicts.
     *
     * @param conflicts the number of conflicts, at least 1
     * @return whether there is time for another attempt
     */
    static boolean pause(int conflicts, CallDeadline deadline) {
        long longest = MIN_NANOS << Math.min(conflicts, MAX_DOUBLINGS);
        try {
            Delays.system().park(Math.min(ThreadLocalRandom.current().nextLong(longest), deadline.remainingNanos()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // kept for the caller; the deadline still limits the attempts
        }
        return !deadline.hasPassed();
    }
}
