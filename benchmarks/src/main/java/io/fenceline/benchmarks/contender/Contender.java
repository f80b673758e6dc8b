package io.fenceline.benchmarks.contender;

import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.store.StoreAddress;
import java.util.Optional;

/**
 * A library that is measured, or a driver that does no more than it must.
 *
 * @param name in tables and on the command line
 * @param store where it keeps locks
 * @param waitsBy how it learns that a lock is free
 * @param opener opens it
 */
public record Contender(String name, Store store, String waitsBy, Opener opener) {

    /** Opens a contender. */
    public interface Opener {

        /** Returns an open contender, with its tables made. */
        LockClient open(StoreAddress address) throws Exception;
    }

    /** Returns the raw driver that all of its store are compared with, itself included. */
    public Optional<Contender> floor() {
        return Contenders.floorOf(store);
    }
}
