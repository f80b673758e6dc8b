package io.fenceline.jdbc.outbox;

import java.time.Duration;
import java.util.Optional;

/**
 * The number of messages that are still to be done, at one moment.
 *
 * @param pending messages to be delivered
 * @param compensating messages to be compensated
 * @param dead messages that wait for an operator
 * @param oldest how long the oldest of all these has been in the outbox, by the database's clock; empty if there is none
 */
public record OutboxProgress(long pending, long compensating, long dead, Optional<Duration> oldest) {

    /**
     * Tells whether everything was delivered, compensated or skipped.
     *
     * @return whether nothing is left
     */
    public boolean isDone() {
        return pending == 0 && compensating == 0 && dead == 0;
    }
}
