package io.fenceline.jdbc.dialect;

import io.fenceline.Grant;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import java.time.Duration;

/**
 * A lease that runs.
 *
 * @param grant what was granted
 * @param remaining how long it runs on, by the database's clock
 */
public record RunningLease(Grant grant, Duration remaining) {

    /**
     * Describes it for people.
     *
     * @param redaction how the key and the lock id are hidden
     * @return the description
     */
    public LockRecord record(Redaction redaction) {
        return new LockRecord(grant, remaining, redaction);
    }
}
