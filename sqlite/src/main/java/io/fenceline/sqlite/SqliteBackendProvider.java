package io.fenceline.sqlite;

import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sqlite.SQLiteConnection;

/** Opens {@code sqlite:PATH}. The path may be relative, and may start with {@code ~/} for the user's home folder. */
public final class SqliteBackendProvider implements BackendProvider {

    private static final String SCHEME = "sqlite:";

    /** What other stores take as a parameter. A file of such a name can be renamed, or given to SqliteLockBackend.open. */
    private static final Pattern PARAMETER = Pattern.compile("[?&][A-Za-z_]+=");

    /** Creates the provider; called by {@link java.util.ServiceLoader}. */
    public SqliteBackendProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("sqlite");
    }

    @Override
    public String usage() {
        return "sqlite:PATH";
    }

    @Override
    public Optional<String> schemaScript(String scheme) {
        return Optional.of(SqliteSchema.scriptWithGuards());
    }

    @Override
    public LockBackend open(String uri) {
        Objects.requireNonNull(SQLiteConnection.class); // without the driver this fails, rather than the first lock
        return SqliteLockBackend.open(pathOf(uri), SqliteOptions.defaults());
    }

    static Path pathOf(String uri) {
        if (!uri.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new IllegalArgumentException("'" + uri + "' does not start with " + SCHEME);
        }
        String path = uri.substring(SCHEME.length());
        if (path.isBlank()) {
            throw new IllegalArgumentException("'" + uri + "' names no file; write sqlite:PATH");
        }
        if (path.equals(":memory:")) {
            throw new IllegalArgumentException(
                    "'" + uri + "' would be gone with this process; write 'memory:' for that");
        }
        if (PARAMETER.matcher(path).find()) {
            throw new IllegalArgumentException(
                    "'" + uri + "' has parameters, and a SQLite file has none; write sqlite:PATH");
        }
        if (path.startsWith("//") && !path.startsWith("///")) {
            throw new IllegalArgumentException(
                    "'" + uri + "' names a host; write sqlite:/PATH for a file of this machine");
        }
        if (path.startsWith("~/")) {
            path = System.getProperty("user.home") + path.substring(1);
        }
        try {
            return Path.of(path);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + uri + "' names no file: " + e.getMessage(), e);
        }
    }
}
