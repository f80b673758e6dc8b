package io.fenceline.jdbc.product;

import io.fenceline.Grant;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import java.time.Duration;

/** A lease that runs, and for how long it does by the database's clock. */
public record RunningLease(Grant grant, Duration remaining) {

    /**
     * Describes it for people.
     *
     * @param redaction how the key and the lock id are hidden
     */
    public LockRecord record(Redaction redaction) {
        return new LockRecord(grant, remaining, redaction);
    }
}
