package io.fenceline.testkit.sim;

import io.fenceline.spi.LockBackend;
import io.fenceline.time.Ticker;
import io.fenceline.time.WallClock;

/**
 * Makes the backend that a simulation runs on: one that keeps its locks in memory, goes by the given clocks and by nothing
 * else, and starts no threads. All clients of the simulation share it.
 */
@FunctionalInterface
public interface BackendModel {

    /**
     * Makes an empty backend.
     *
     * @param ticker the server's monotonic clock
     * @param wallClock the server's time of day, which may be stepped
     * @return a sound backend; the simulation puts the faults in front of it
     */
    LockBackend open(Ticker ticker, WallClock wallClock);
}
