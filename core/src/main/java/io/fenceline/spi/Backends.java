package io.fenceline.spi;

import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Opens backends by URI with the {@link BackendProvider}s on the class path or module path. */
public final class Backends {

    private Backends() {}

    /**
     * Opens the backend that a URI names.
     *
     * @param uri for instance {@code sqlite:/var/lib/app/locks.db} or {@code memory:}
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if no provider knows the scheme, or the URI is malformed
     * @throws io.fenceline.BackendException if the store cannot be reached or used
     */
    public static LockBackend open(String uri) {
        List<BackendProvider> providers = providers();
        int colon = uri.indexOf(':');
        if (colon > 0) {
            String scheme = uri.substring(0, colon).toLowerCase(Locale.ROOT);
            for (BackendProvider provider : providers) {
                if (provider.schemes().contains(scheme)) {
                    return provider.open(uri);
                }
            }
        }
        String known = providers.stream().map(BackendProvider::usage).sorted().collect(Collectors.joining(", "));
        throw new IllegalArgumentException("no backend for '" + uri + "'; known are: " + known);
    }

    /**
     * Returns what can be opened here.
     *
     * @return the providers that were found
     */
    public static List<BackendProvider> providers() {
        return ServiceLoader.load(BackendProvider.class, Backends.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .collect(Collectors.toList());
    }
}
