package io.fenceline.sharding;

import io.fenceline.Backends;
import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Opens {@code sharded:GENERATION NAME=URI NAME=URI}: the stores that the other URIs name, as one. */
public final class ShardedBackendProvider implements BackendProvider {

    /** Creates the provider; called by {@link java.util.ServiceLoader}. */
    public ShardedBackendProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("sharded");
    }

    @Override
    public String usage() {
        return "sharded:GENERATION NAME=URI NAME=URI...";
    }

    @Override
    public LockBackend open(String uri) {
        String[] parts = uri.substring(uri.indexOf(':') + 1).strip().split("\\s+", -1);
        if (!parts[0].matches("[1-9][0-9]{0,8}") || parts.length == 1) {
            throw malformed(uri);
        }
        Map<String, String> uris = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals < 1 || uris.put(parts[i].substring(0, equals), parts[i].substring(equals + 1)) != null) {
                throw malformed(uri);
            }
        }
        return open(Integer.parseInt(parts[0]), uris);
    }

    private static LockBackend open(int generation, Map<String, String> uris) {
        Map<String, LockBackend> stores = new LinkedHashMap<>();
        boolean opened = false;
        try {
            uris.forEach((name, uri) -> stores.put(name, Backends.open(uri)));
            LockBackend all = ShardedLockBackend.over(generation, stores);
            opened = true;
            return all;
        } finally {
            if (!opened) {
                stores.values().forEach(LockBackend::close);
            }
        }
    }

    private static IllegalArgumentException malformed(String uri) {
        return new IllegalArgumentException("'" + Backends.withoutPassword(uri)
                + "' is not written sharded:GENERATION NAME=URI NAME=URI, with blanks between the stores, each name once, and a number from 1"
                + " for the generation that grows with each other set of stores");
    }
}
