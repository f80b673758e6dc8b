package io.fenceline.spi;

import io.fenceline.LockKey;
import java.time.Duration;
import java.util.Optional;

/**
 * The ability of a store that neither queues waiters nor signals releases to remember that a process waits for a lock, so that a
 * process which passes the lock on among its own threads can leave it to that one for a while.
 *
 * <p>A notice is a hint and promises nothing: it may be lost, and it may outlast the process that posted it. The store keeps one
 * for each key.
 */
public interface WaiterNotices {

    /**
     * Posts that this process was refused a lock and asks for it again. Another process's notice stays as it is.
     *
     * @param key the lock
     * @param nextAttempt how long from now it asks again
     * @param timeout how long the caller waits for the store
     * @throws io.fenceline.BackendException if the store cannot answer
     */
    void post(LockKey key, Duration nextAttempt, Duration timeout);

    /**
     * Takes a lock's notice away.
     *
     * @param key the lock
     * @param timeout how long the caller waits for the store
     * @return how long the lock must stay free for the other process to find it so; empty if no other process posted a notice
     * @throws io.fenceline.BackendException if the store cannot answer
     */
    Optional<Duration> take(LockKey key, Duration timeout);
}
