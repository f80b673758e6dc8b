package io.fenceline.jdbc.product;

import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Succession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** The operation of {@link Succession}, as a statement on a connection that commits by itself. */
@FunctionalInterface
public interface SuccessionStatement {

    /**
     * Ends a running lease and takes the lock.
     *
     * @param yielding whether others who wait shall have the lock first
     * @param listener who of those that listen for releases is of this process, by {@link WaiterSignals#listener}
     * @return what became of the lease and of the request
     */
    Outcome succeed(Connection connection, LockId last, AcquireRequest next, boolean yielding, int listener)
            throws SQLException;

    /**
     * The result for a lease and for the request that followed.
     *
     * @param released whether the lease ended
     * @param answer to the request; empty if it was not asked since others shall have the lock first
     * @param others how many processes wait, if the answer is empty
     * @param lastFence the greatest token spent, if the answer is empty
     */
    record Outcome(boolean released, Optional<Acquisition> answer, int others, long lastFence) {

        /** Creates the outcome of a request that was answered. */
        public Outcome(boolean released, Acquisition answer) {
            this(released, Optional.of(answer), 0, 0);
        }

        /** Converts it for the engine, with the time that others are given. */
        public Succession.Turnover turnover(Duration pause) {
            return new Succession.Turnover(
                    released, answer.orElseGet(() -> new Acquisition.Contended(pause, Optional.empty())));
        }
    }
}
