package io.fenceline.cli;

import io.fenceline.Backends;
import io.fenceline.spi.LockBackend;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The store that a command works on.
 *
 * @param uri what {@code --backend} takes
 */
record StoreAddress(String uri) {

    private static final String VARIABLE = "FENCELINE_BACKEND";

    private static final String FILE = "sqlite:";

    private static final Pattern RELATIVE_FILE = Pattern.compile(FILE + "(?!/|~/)", Pattern.CASE_INSENSITIVE);

    private static final Pattern PASSWORD_PARAMETER =
            Pattern.compile("([?&])[^=&]*(?:pass|pwd|secret)[^=&]*=[^&]*&?", Pattern.CASE_INSENSITIVE);

    /** The option's, else the environment's, else the user's own. */
    static StoreAddress chosen(@Nullable String option, Surroundings surroundings) {
        if (option != null) {
            return new StoreAddress(option);
        }
        String variable = surroundings.variable(VARIABLE);
        return new StoreAddress(variable.isEmpty() ? UserStore.of(surroundings).uri() : variable);
    }

    /**
     * Opens the store.
     *
     * @return a backend that the caller closes
     * @throws CommandFailure if nothing opens such a URI, its driver is not here, or the store is of no use to a command
     * @throws io.fenceline.BackendException if the store cannot be reached or used
     */
    LockBackend open() {
        if (uri.toLowerCase(Locale.ROOT).startsWith("memory:")) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "'" + this + "' lives in one process, so its locks keep no other process out; use for instance"
                            + " --backend sqlite:/path/to/locks.db");
        }
        try {
            return Backends.open(uri);
        } catch (IllegalStateException driverIsNotHere) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(driverIsNotHere.getMessage()), driverIsNotHere);
        }
    }

    /**
     * The URI for a command that runs under a lock. A password that came with {@code --backend} does not go on into its
     * environment, which many programs print; one that was in the environment is there anyway. A file is named from the root, since the
     * command may change its folder.
     */
    String uriForChild(Surroundings surroundings) {
        if (RELATIVE_FILE.matcher(uri).lookingAt()) {
            return uri.substring(0, FILE.length())
                    + Path.of(uri.substring(FILE.length())).toAbsolutePath();
        }
        return uri.equals(surroundings.variable(VARIABLE)) ? uri : withoutPassword();
    }

    /** The same store for somebody who has the password from elsewhere. */
    private String withoutPassword() {
        String found = PASSWORD_PARAMETER.matcher(uri).replaceAll("$1").replaceAll("[?&]+$", "");
        int start = found.indexOf("://") + 3;
        int parameters = found.startsWith("redis") ? -1 : found.indexOf('?'); // Redis takes a plain '?' in a password
        int at = found.lastIndexOf('@', parameters < 0 ? found.length() : parameters);
        int colon = found.indexOf(':', start);
        if (start < 3 || colon < 0 || colon > at) {
            return found;
        }
        String user = found.substring(start, colon);
        return found.substring(0, start) + user + found.substring(user.isEmpty() ? at + 1 : at);
    }

    /** The URI without the password that it may have. */
    @Override
    public String toString() {
        return Backends.withoutPassword(uri);
    }
}
