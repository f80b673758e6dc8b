package io.fenceline.examples.textbook;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.MemoryFenceGuard;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Wants a stamp with each write and refuses the ones of superseded holders. It never asks the lock service anything. */
public final class FencedStore {

    private final Map<String, String> values = new ConcurrentHashMap<>();
    private final MemoryFenceGuard guard = new MemoryFenceGuard();

    /**
     * Writes, if no later holder has written or claimed.
     *
     * @throws io.fenceline.guard.StaleTokenException if one has; the value stays as it is
     */
    public void write(String name, String value, FenceStamp stamp) {
        guard.write(name, stamp, () -> values.put(name, value));
    }

    /** Reads what was written last. */
    public Optional<String> read(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** The guard, for claims. */
    public FenceGuard guard() {
        return guard;
    }
}
