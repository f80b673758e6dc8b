package io.fenceline.cli.context;

import io.fenceline.Backends;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockBackend;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The URI of the store that a command uses. */
public record StoreUri(String uri) {

    private static final String VARIABLE = "FENCELINE_BACKEND";

    private static final Pattern SEVERAL = Pattern.compile("sharded:", Pattern.CASE_INSENSITIVE);

    private static final Pattern ONE_OF_SEVERAL = Pattern.compile("(\\s[^\\s=]+=)(\\S+)");

    private static final Pattern IN_MEMORY = Pattern.compile("memory:|h2:mem:", Pattern.CASE_INSENSITIVE);

    private static final Pattern FILE = Pattern.compile("sqlite:|h2:(?:file:|(?!\\w+:))", Pattern.CASE_INSENSITIVE);

    /** The scheme, the path and what follows it. */
    private static final List<Pattern> RELATIVE_FILES = List.of(
            Pattern.compile("(sqlite:)(?!/|~/)(.+)()", Pattern.CASE_INSENSITIVE),
            Pattern.compile("(h2:(?:file:)?+)(?!/|~/|\\w+:)([^;?]+)(.*)", Pattern.CASE_INSENSITIVE));

    private static final Pattern PASSWORD_PARAMETER =
            Pattern.compile("([?&])[^=&]*(?:pass|pwd|secret)[^=&]*=[^&]*&?", Pattern.CASE_INSENSITIVE);

    /** The option's, else that of {@code FENCELINE_BACKEND}, else the default store's. */
    public static StoreUri chosen(@Nullable String option, ProcessEnvironment environment) {
        if (option != null) {
            return new StoreUri(option);
        }
        String variable = environment.variables().get(VARIABLE);
        if (variable == null) {
            return new StoreUri(DefaultStore.of(environment).uri());
        }
        if (variable.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    VARIABLE + " is empty; set it to the store's URI, or unset it to use the SQLite file of this user");
        }
        return new StoreUri(variable);
    }

    /**
     * Opens the store; the caller closes it.
     *
     * @throws CommandFailure if the driver is missing, or the store cannot exclude other processes
     */
    public LockBackend open() {
        if (isInMemory()) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "'" + this + "' exists in one process only, so its locks exclude no other process; use for instance"
                            + " --backend sqlite:/path/to/locks.db");
        }
        try {
            return Backends.open(uri);
        } catch (IllegalStateException driverIsNotHere) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(driverIsNotHere.getMessage()), driverIsNotHere);
        }
    }

    /** Whether it is a file of this machine: no server can leave us without an answer. */
    public boolean isFile() {
        return FILE.matcher(uri).lookingAt();
    }

    private boolean isInMemory() {
        return SEVERAL.matcher(uri).lookingAt()
                ? ONE_OF_SEVERAL.matcher(uri).results().anyMatch(store -> new StoreUri(store.group(2)).isInMemory())
                : IN_MEMORY.matcher(uri).lookingAt();
    }

    /**
     * The URI for a command that runs under a lock. A password that came with {@code --backend} is removed, because many programs
     * print their environment; one from the environment stays. A file name is made absolute, because the command may change its
     * folder.
     */
    public String uriForChild(ProcessEnvironment environment) {
        return uriForChild(uri.equals(environment.variable(VARIABLE)));
    }

    private String uriForChild(boolean isFromEnvironment) {
        if (SEVERAL.matcher(uri).lookingAt()) {
            return ONE_OF_SEVERAL
                    .matcher(uri)
                    .replaceAll(store -> Matcher.quoteReplacement(
                            store.group(1) + new StoreUri(store.group(2)).uriForChild(isFromEnvironment)));
        }
        StoreUri absolute = withAbsolutePath();
        return isFromEnvironment ? absolute.uri : absolute.withoutPassword();
    }

    private StoreUri withAbsolutePath() {
        return RELATIVE_FILES.stream()
                .map(pattern -> pattern.matcher(uri))
                .filter(Matcher::matches)
                .findFirst()
                .map(file -> new StoreUri(
                        file.group(1) + Path.of(file.group(2)).toAbsolutePath().normalize() + file.group(3)))
                .orElse(this);
    }

    /** The URI without any password. */
    private String withoutPassword() {
        int master = uri.startsWith("redis") ? uri.indexOf('#') : -1; // others may take it for a part of a password
        String found = PASSWORD_PARAMETER
                        .matcher(master < 0 ? uri : uri.substring(0, master))
                        .replaceAll("$1")
                        .replaceAll("[?&]+$", "")
                + (master < 0 ? "" : uri.substring(master));
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

    /** The URI with its password masked. */
    @Override
    public String toString() {
        return Backends.withoutPassword(uri);
    }
}
