package io.fenceline.spi;

import io.fenceline.LockKey;
import java.time.Duration;
import java.util.Optional;

/**
 * Records in the store that a process waits for a lock, for stores without a wait queue and signals. A process that passes the lock
 * on among its own threads can then leave it to the other one for a while.
 *
 * <p>A notice is a hint without guarantees: it may be lost, and it may outlive the process that posted it. There is one per key.
 */
public interface WaiterNotices {

    /**
     * Posts that this process was refused a lock and will retry. Does not replace the notice of another process.
     *
     * @param key the lock
     * @param nextAttempt the time until the next attempt
     * @param timeout the timeout of this call
     * @throws io.fenceline.BackendException if the store cannot answer
     */
    void post(LockKey key, Duration nextAttempt, Duration timeout);

    /**
     * Removes and returns a lock's notice.
     *
     * @param key the lock
     * @param timeout the timeout of this call
     * @return how long the lock must stay free for the other process; empty without a notice of another process
     * @throws io.fenceline.BackendException if the store cannot answer
     */
    Optional<Duration> take(LockKey key, Duration timeout);
}
