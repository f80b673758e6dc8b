package io.fenceline.cli;

import io.fenceline.spi.Backends;
import io.fenceline.spi.LockBackend;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which store a command works on.
 *
 * @param uri what {@code --backend} takes
 */
record StoreAddress(String uri) {

    /** The option's, else the environment's, else the user's own. */
    static StoreAddress chosen(@Nullable String option, Surroundings surroundings) {
        if (option != null) {
            return new StoreAddress(option);
        }
        String variable = surroundings.variable("FENCELINE_BACKEND");
        return new StoreAddress(variable.isEmpty() ? UserStore.of(surroundings).uri() : variable);
    }

    /**
     * Opens the store.
     *
     * @return a backend that the caller closes
     * @throws CommandFailure if nothing opens such a URI, or the store is of no use to a command
     * @throws io.fenceline.BackendException if the store cannot be reached or used
     */
    LockBackend open() {
        if (uri.toLowerCase(Locale.ROOT).startsWith("memory:")) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "'" + uri + "' lives in one process, so its locks keep no other process out; use for instance"
                            + " --backend sqlite:/path/to/locks.db");
        }
        return Backends.open(uri);
    }

    /** The URI without the password that it may have. */
    @Override
    public String toString() {
        int host = uri.lastIndexOf('@');
        int authority = uri.indexOf("://");
        return authority > 0 && host > authority ? uri.substring(0, authority + 3) + "***" + uri.substring(host) : uri;
    }
}
