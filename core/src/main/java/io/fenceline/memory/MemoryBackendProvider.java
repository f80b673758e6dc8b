package io.fenceline.memory;

import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.util.Set;

/** Opens {@code memory:}, a new store for each call, which is not persistent. */
public final class MemoryBackendProvider implements BackendProvider {

    /** Creates the provider; called by {@link java.util.ServiceLoader}. */
    public MemoryBackendProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public String usage() {
        return "memory:";
    }

    @Override
    public LockBackend open(String uri) {
        if (!uri.equalsIgnoreCase("memory:")) {
            throw new IllegalArgumentException(
                    "'" + uri + "' names a store in memory, which has no name; write just 'memory:'");
        }
        return new MemoryLockBackend();
    }
}
