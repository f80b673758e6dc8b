package io.fenceline.spi;

import java.util.Optional;
import java.util.Set;

/** Opens backends by URI; found through {@link java.util.ServiceLoader}. */
public interface BackendProvider {

    /**
     * Returns the URI schemes that this provider opens.
     *
     * @return schemes without the colon, in lower case
     */
    Set<String> schemes();

    /**
     * Returns the URI templates, for help texts and error messages.
     *
     * @return a template such as {@code sqlite:PATH}
     */
    String usage();

    /**
     * Returns the script that makes all tables that a store and its guards can need, for a migration tool. Opens nothing.
     *
     * @param scheme one of the schemes
     * @return the statements, with default names of tables; empty if such a store needs no tables, as unless overridden
     */
    default Optional<String> schemaScript(String scheme) {
        return Optional.empty();
    }

    /**
     * Opens the backend. May connect, so that a wrong address fails here.
     *
     * @param uri a text that starts with one of the schemes and a colon
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if the URI is malformed; the message names the fix
     * @throws io.fenceline.BackendException if the store cannot be reached or used
     */
    LockBackend open(String uri);
}
